import { encodeFilters, type FilterValue } from '@/list/filters-codec';
import { routes } from '@/routing/routes';

/** The address of the deliveries whose field is exactly this. */
export function deliveriesWhere(key: string, value: FilterValue): string {
  return routes.deliveries({
    filters: encodeFilters([{ key, operator: 'equals', values: [value] }]),
  });
}
