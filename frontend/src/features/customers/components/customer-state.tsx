import type { ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { RecordState } from '@/data/record-state';
import { routes } from '@/routing/routes';
import type { Customer } from '../queries';
import type { useCustomer } from '../use-customer';
import { CustomerSkeleton } from './customer-skeleton';

interface CustomerStateProps {
  customerName: string;
  result: ReturnType<typeof useCustomer>;
  children: (customer: Customer) => ReactNode;
}

/** The states of a page about one customer. */
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
