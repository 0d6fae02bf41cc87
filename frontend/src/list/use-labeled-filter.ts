import type { Filter } from './filters-codec';
import type { FilterField } from './resource';
import { useLookup } from './use-lookup';

/**
 * Labels the values of a filter as its lookup does today: a label from a link or a saved view may be missing, outdated or
 * made up. Values that are not among the first suggestions keep theirs.
 */
export function useLabeledFilter(filter: Filter, field: FilterField): Filter {
  const isLookedUp = field.kind === 'lookup' && filter.values.length > 0;
  const { options } = useLookup(isLookedUp ? field.lookup : undefined, '');
  if (options.length === 0) return filter;
  const values = filter.values.map((own) => options.find(({ value }) => value === own.value) ?? own);
  return { ...filter, values };
}
