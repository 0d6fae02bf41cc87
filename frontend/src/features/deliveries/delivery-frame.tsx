import { Copy } from 'lucide-react';
import { type ReactNode, useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { graphql } from '@/data/graphql';
import { RecordState } from '@/data/query-state';
import type { RecordResult } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { IconButton } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import type { Delivery } from './delivery-queries';

/** Comment of the last history step of a delivery that an import undo removed. */
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

/** Loading, error and not-found states of a page about one delivery. */
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

/** Skeleton in the layout of the page, so that nothing shifts when the delivery loads. */
export function DeliverySkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center gap-3">
        <Skeleton className="h-6 w-40" />
        <Skeleton className="h-6 w-28 rounded-full" />
      </div>
      <div className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]">
        <FactsSkeleton count={20} className="grid grid-cols-2 lg:grid-cols-4" />
        <Panel className="flex flex-col gap-4 p-4">
          {Array.from({ length: 4 }, (_, index) => (
            <Skeleton key={index} className="h-3 w-3/4 rounded-full" />
          ))}
        </Panel>
      </div>
    </div>
  );
}

interface DeliveryHeaderProps {
  delivery: Pick<Delivery, 'id' | 'deliverystatus' | 'customername'>;
  /** Aligned to the right. */
  children?: ReactNode;
}

export function DeliveryHeader({ delivery, children }: DeliveryHeaderProps) {
  return (
    <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
      <div className="flex min-w-0 items-center gap-1">
        <h2 className="text-xl font-semibold wrap-anywhere">{delivery.id}</h2>
        <CopyButton text={delivery.id} />
      </div>
      <StatusChip kind="delivery" status={delivery.deliverystatus} size={24} />
      <span dir="auto" className="min-w-0 text-sm text-muted wrap-anywhere">{delivery.customername}</span>
      {children && (
        <div className="ms-auto flex flex-wrap items-center gap-2 max-md:ms-0">{children}</div>
      )}
    </div>
  );
}

function CopyButton({ text }: { text: string }) {
  const { t } = useTranslation('deliveries');

  async function copy() {
    try {
      await navigator.clipboard.writeText(text);
      toast.success(t('view.copied'));
    } catch {
      toast.error(t('view.copyFailed'));
    }
  }

  return <IconButton icon={Copy} size={28} label={t('view.copy')} onClick={() => void copy()} />;
}

interface IncompleteNoteProps {
  delivery: Pick<Delivery, 'incompleteUploadLogId'>;
  /** Advice on what to do on this page. */
  text: string;
  className?: string;
}

/** Warns that the import refused some lines of the delivery. */
export function IncompleteNote({ delivery, text, className }: IncompleteNoteProps) {
  const { t } = useTranslation('deliveries');
  const { incompleteUploadLogId: uploadLog } = delivery;
  if (!uploadLog) return null;
  return (
    <Note tone="warn" title={t('incomplete.title')} className={className}>
      <p>
        {text}{' '}
        <Link to={routes.uploadedDetails({ uploadLog })} className="text-accent hover:underline">
          {t('view.showImport')}
        </Link>
      </p>
    </Note>
  );
}
