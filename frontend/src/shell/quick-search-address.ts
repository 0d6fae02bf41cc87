import { decodeFilters, encodeFilters } from '@/list/filters-codec';
import type { QuickSearchInfo } from '@/navigation/records';
import { parseSearch } from '@/routing/paths';
import { routes } from '@/routing/routes';

type Info = Pick<QuickSearchInfo, 'key' | 'route'>;

/** The text the quick search stands for in an address: its one contains filter. */
export function quickSearchText(search: string, { key }: Info): string {
  const { filters } = decodeFilters(parseSearch(search).filters);
  const own = filters.find((filter) => filter.key === key && filter.operator === 'contains');
  return own?.values.length === 1 ? (own.values[0]?.value ?? '') : '';
}

/** The same list with one contains filter on the field beside the filters it has. */
export function quickSearchAddress(search: string, { key, route }: Info, text: string): string {
  const { filters: encoded, offset: _offset, ...rest } = parseSearch(search);
  const { filters } = decodeFilters(encoded);
  const others = filters.filter((filter) => filter.key !== key || filter.operator !== 'contains');
  const own = { key, operator: 'contains' as const, values: [{ label: text, value: text }] };
  return buildAddress(route, { ...rest, filters: encodeFilters([...others, own]) });
}

/** The list with limit and offset only. */
export function closedSearchAddress(search: string, { route }: Info): string {
  const { limit, offset } = parseSearch(search);
  return buildAddress(route, { limit, offset });
}

function buildAddress(route: Info['route'], args: Record<string, string | undefined>): string {
  const build = routes[route] as (args: Record<string, string | undefined>) => string;
  return build(args);
}
