import type { Filter } from './filters-codec';
import type { FilterField } from './resource';
import { useLookup } from './use-lookup';

/**
 * Labels the values of a filter that came without labels, as those of saved reports and of links from figures do. Values
 * that are not among the first suggestions stay as they are.
 */
export function useLabeledFilter(filter: Filter, field: FilterField): Filter {
  const lacksLabel = filter.values.some(({ label, value }) => label === '' || label === value);
  const { options } = useLookup(field.kind === 'lookup' && lacksLabel ? field.lookup : undefined, '');
  if (options.length === 0) return filter;
  const values = filter.values.map((own) => options.find(({ value }) => value === own.value) ?? own);
  return { ...filter, values };
}
