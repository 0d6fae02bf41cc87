import { decodeFilters, encodeFilters, type Filter } from '@/list/filters-codec';
import { parseSearch } from '@/routing/paths';
import { routes } from '@/routing/routes';
import type { QuickSearchInfo } from './records';

type Info = Pick<QuickSearchInfo, 'key' | 'route' | 'tabs'>;

/** Fields holding Delivery Docs. Other keys are names, which contain spaces and commas. */
const DOCUMENT_KEYS = new Set(['id', 'deliveryId']);
/** The server's limit for the length of a value. */
const MAX_LENGTH = 64;

/**
 * Splits a quick search into alternatives. Delivery Docs pasted from a sheet or an email are separated by commas,
 * semicolons or line breaks, or by spaces if each part has a digit.
 */
export function quickSearchTexts(text: string, key: string): string[] {
  if (!DOCUMENT_KEYS.has(key)) return [text.trim()].filter(Boolean);
  const lines = text.split(/[,;\t\r\n]+/).map((line) => line.trim());
  const parts = lines.flatMap((line) => {
    const words = line.split(/\s+/);
    return words.every((word) => /\d/.test(word) && word.length > 2) ? words : [line];
  });
  return [...new Set(parts.filter(Boolean).map((part) => part.slice(0, MAX_LENGTH)))];
}

/**
 * Returns the quick search text that a URL holds: the values of the "contains" filter on the key. Only Delivery Docs
 * may have several.
 */
export function quickSearchText(search: string, { key }: Info): string {
  const { filters } = decodeFilters(parseSearch(search).filters);
  const own = filters.find((filter) => filter.key === key && filter.operator === 'contains');
  if (!own || (own.values.length > 1 && !DOCUMENT_KEYS.has(key))) return '';
  return own.values.map(({ value }) => value).join(', ');
}

/** Returns the filters of the list with the text as the only "contains" filter on the field. Other filters are kept. */
export function quickSearchFilters(search: string, { key }: Info, text: string): Filter[] {
  const { filters } = decodeFilters(parseSearch(search).filters);
  const others = filters.filter((filter) => filter.key !== key || filter.operator !== 'contains');
  const values = quickSearchTexts(text, key).map((value) => ({ label: value, value }));
  return [...others, { key, operator: 'contains', values }];
}

/** Returns the URL of the list with the filters of `quickSearchFilters`. */
export function quickSearchAddress(search: string, info: Info, text: string): string {
  const { filters: _filters, offset: _offset, tab, ...rest } = parseSearch(search);
  return buildAddress(info.route, {
    ...rest,
    ...(tab !== undefined && info.tabs?.includes(tab) && { tab }),
    filters: encodeFilters(quickSearchFilters(search, info, text)),
  });
}

/** Returns the URL of the list with only limit and offset. */
export function closedSearchAddress(search: string, { route }: Info): string {
  const { limit, offset } = parseSearch(search);
  return buildAddress(route, { limit, offset });
}

function buildAddress(route: Info['route'], args: Record<string, string | undefined>): string {
  const build = routes[route] as (args: Record<string, string | undefined>) => string;
  return build(args);
}
