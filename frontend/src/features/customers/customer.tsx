import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { routes } from '@/routing/routes';
import { FactsSkeleton, Skeleton } from '@/ui/skeleton';
import { type Customer, customerQuery } from './queries';

/** Reads one customer by name, ignoring case. */
export function useCustomer(customerName: string) {
  return useRecord({
    document: customerQuery,
    variables: { customerName },
    typenames: ['Customer'],
    read: ({ customer }) => customer,
  });
}

/** Skeleton of the page, so that the layout does not shift when the customer loads. */
function CustomerSkeleton() {
  const { t } = useTranslation('common');
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="mb-4 flex h-8 items-center">
        <Skeleton className="h-6 w-52" />
      </div>
      <FactsSkeleton count={6} />
    </div>
  );
}

interface CustomerStateProps {
  customerName: string;
  result: ReturnType<typeof useCustomer>;
  children: (customer: Customer) => ReactNode;
}

/** Loading, error and not-found states of a page about one customer. */
export function CustomerState({ customerName, result, children }: CustomerStateProps) {
  const { t } = useTranslation('customers');
  return (
    <RecordState
      result={result}
      loading={<CustomerSkeleton />}
      notFound={{
        title: t('view.notFound.title'),
        text: t('view.notFound.text', { name: customerName }),
        action: t('view.notFound.action'),
        to: routes.customers(),
      }}
    >
      {children}
    </RecordState>
  );
}
