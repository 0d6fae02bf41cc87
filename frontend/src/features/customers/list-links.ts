import { encodeFilters, type Filter } from '@/list/filters-codec';
import { routes } from '@/routing/routes';

/** What still has to reach somebody: never tried, or tried and to be tried again. */
export const OPEN_STATUSES = ['Pending', 'Undelivered'] as const;

const plain = (value: string) => ({ label: value, value });

/** The filters of the deliveries of a customer: all of them, or the open ones. */
export function deliveriesOf(customerName: string, which: 'all' | 'open'): Filter[] {
  const own: Filter = {
    key: 'customername',
    operator: 'equals',
    values: [plain(customerName)],
  };
  const open: Filter = {
    key: 'deliverystatus',
    operator: 'equals',
    values: OPEN_STATUSES.map(plain),
  };
  return which === 'open' ? [own, open] : [own];
}

export function deliveriesAddress(customerName: string, which: 'all' | 'open'): string {
  return routes.deliveries({ filters: encodeFilters(deliveriesOf(customerName, which)) });
}
