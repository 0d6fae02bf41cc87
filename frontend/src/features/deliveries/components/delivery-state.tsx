import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useQuery } from 'urql';
import { graphql } from '@/data/graphql';
import { RecordState } from '@/data/query-state';
import type { RecordResult } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import type { Delivery } from '../delivery-queries';

/** What the last step of a delivery says that went with the undo of its import. */
const REMOVED = 'Removed: its import was undone';

const lastStepQuery = graphql(`
  query LastStep($page: PageOptions) {
    deliveryStatusHistories(page: $page) {
      id
      note
      actorName
      occurredAt
      uploadLogId
    }
  }
`);

interface DeliveryStateProps {
  id: string;
  result: RecordResult<Delivery>;
  loading: ReactNode;
  children: (delivery: Delivery) => ReactNode;
}

/** The states of a page about one delivery. */
export function DeliveryState({ id, result, loading, children }: DeliveryStateProps) {
  const { t } = useTranslation('deliveries');
  const timeZone = useTimeZone();
  const [{ data }] = useQuery({
    query: lastStepQuery,
    variables: useMemo(
      () => ({
        page: {
          where: [{ key: 'deliveryId', operator: 'equals', values: [id] }],
          sort: [{ key: 'occurredAt', direction: 'desc' as const }],
          limit: 1,
        },
      }),
      [id],
    ),
    pause: result.value !== null,
  });
  const last = data?.deliveryStatusHistories[0];
  const removed = result.value === null && last?.note === REMOVED ? last : undefined;
  const notFound = {
    title: t('view.notFound.title'),
    text: t('view.notFound.text', { id }),
    action: t('view.notFound.action'),
    to: routes.deliveries(),
  };
  const undone = removed && {
    title: t('view.removed.title'),
    text: t('view.removed.text', {
      id,
      by: removed.actorName,
      at: formatDateTime(removed.occurredAt, timeZone),
    }),
    ...(removed.uploadLogId === null
      ? { action: notFound.action, to: notFound.to }
      : {
          action: t('view.removed.action'),
          to: routes.uploadedDetails({ uploadLog: removed.uploadLogId }),
        }),
  };
  return (
    <RecordState result={result} loading={loading} notFound={undone ?? notFound}>
      {children}
    </RecordState>
  );
}
