import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import type { RecordResult } from '@/data/use-record';
import { routes } from '@/routing/routes';
import type { Delivery } from '../delivery-queries';

interface DeliveryStateProps {
  id: string;
  result: RecordResult<Delivery>;
  loading: ReactNode;
  children: (delivery: Delivery) => ReactNode;
}

/** The states of a page about one delivery. */
export function DeliveryState({ id, result, loading, children }: DeliveryStateProps) {
  const { t } = useTranslation('deliveries');
  const notFound = {
    title: t('view.notFound.title'),
    text: t('view.notFound.text', { id }),
    action: t('view.notFound.action'),
    to: routes.deliveries(),
  };
  return (
    <RecordState result={result} loading={loading} notFound={notFound}>
      {children}
    </RecordState>
  );
}
