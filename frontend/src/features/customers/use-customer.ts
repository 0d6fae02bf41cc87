import { useRecord } from '@/data/use-record';
import { customerQuery } from './queries';

/** One customer, by a name that matches whatever its case. */
export function useCustomer(customerName: string) {
  return useRecord({
    document: customerQuery,
    variables: { customerName },
    typenames: ['Customer'],
    read: ({ customer }) => customer,
  });
}
