import { decodeFilters, encodeFilters, type Filter, takesNoValues } from './filters-codec';
import { isDateRangeValue } from './date-values';
import {
  DEFAULT_PAGE_SIZE,
  PAGE_SIZES,
  type FilterField,
  type ListColumn,
  type ListCount,
  type ListView,
  type SortEntry,
} from './resource';

/** The state of a list, as stored in the URL. */
export interface ListState {
  filters: Filter[];
  sort: SortEntry[];
  limit: number;
  offset: number;
}

/** The parts of a resource that are needed to read and write the list's URL. */
export interface ListShape {
  filters: readonly FilterField[];
  columns: readonly Pick<ListColumn<never>, 'id' | 'sortable'>[];
  defaultSort: readonly SortEntry[];
  /** Rows per page when the URL has no limit. */
  pageSize?: number;
}

const MAX_SORTS = 3;
/** The server refuses larger offsets. */
const MAX_OFFSET = 1_000_000;

function isUsable(filter: Filter, shape: ListShape): boolean {
  const field = shape.filters.find(({ key }) => key === filter.key);
  if (!field?.operators.includes(filter.operator)) return false;
  if (takesNoValues(filter.operator)) return true;
  const values = filter.values.map(({ value }) => value);
  switch (field.kind) {
    case 'date-range':
      return isDateRangeValue(values, field.presets);
    case 'enum':
    case 'yes-no':
      return values.every((value) => field.options.some((option) => option.value === value));
    default:
      return values.every((value) => value.trim() !== '');
  }
}

function readSort(text: string | null, shape: ListShape): { sort: SortEntry[]; bad: boolean } {
  if (text === null) return { sort: [...shape.defaultSort], bad: false };
  const sort: SortEntry[] = [];
  let bad = false;
  for (const part of text.split(',')) {
    const direction = part.startsWith('-') ? 'desc' : 'asc';
    const key = direction === 'desc' ? part.slice(1) : part;
    const known = shape.columns.some((column) => column.id === key && column.sortable);
    if (!known || sort.some((entry) => entry.key === key) || sort.length === MAX_SORTS) bad = true;
    else sort.push({ key, direction });
  }
  return sort.length > 0 ? { sort, bad } : { sort: [...shape.defaultSort], bad: true };
}

function readNumber(text: string | null, allowed: (value: number) => boolean): number | undefined {
  if (text === null || !/^\d{1,9}$/.test(text)) return undefined;
  const value = Number(text);
  return allowed(value) ? value : undefined;
}

function pageSizeOf({ pageSize }: Pick<ListShape, 'pageSize'>): number {
  return pageSize ?? DEFAULT_PAGE_SIZE;
}

/** Reads the state of a list from its URL. Invalid parts are left out and reported by `dropped`. */
export function readListState(
  params: URLSearchParams,
  shape: ListShape,
): { state: ListState; dropped: boolean } {
  const decoded = decodeFilters(params.get('filters'));
  const filters = decoded.filters.filter((filter) => isUsable(filter, shape));
  const { sort, bad } = readSort(params.get('sort'), shape);
  const limit = readNumber(params.get('limit'), (value) =>
    (PAGE_SIZES as readonly number[]).includes(value),
  );
  const offset = readNumber(params.get('offset'), (value) => value <= MAX_OFFSET);
  return {
    state: { filters, sort, limit: limit ?? pageSizeOf(shape), offset: offset ?? 0 },
    dropped:
      decoded.malformed ||
      filters.length !== decoded.filters.length ||
      bad ||
      (params.has('limit') && limit === undefined) ||
      (params.has('offset') && offset === undefined),
  };
}

function writeSort(sort: readonly SortEntry[]): string {
  return sort.map(({ key, direction }) => (direction === 'desc' ? `-${key}` : key)).join(',');
}

/** Writes the state of a list to its URL; omits defaults and keeps unrelated parameters. */
export function writeListState(
  params: URLSearchParams,
  state: ListState,
  shape: Pick<ListShape, 'defaultSort' | 'pageSize'>,
): URLSearchParams {
  const next = new URLSearchParams(params);
  const sort = writeSort(state.sort);
  const entries: Record<string, string> = {
    filters: encodeFilters(state.filters),
    sort: sort === writeSort(shape.defaultSort) ? '' : sort,
    limit: state.limit === pageSizeOf(shape) ? '' : String(state.limit),
    offset: state.offset === 0 ? '' : String(state.offset),
  };
  for (const [key, value] of Object.entries(entries)) {
    if (value) next.set(key, value);
    else next.delete(key);
  }
  return next;
}

/** Returns the offset of the last page with rows that can be opened. */
export function lastOffset(total: number, limit: number): number {
  return total > 0 ? Math.min(Math.floor((total - 1) / limit) * limit, MAX_OFFSET) : 0;
}

type Window = Pick<ListState, 'limit' | 'offset'>;

/**
 * Returns whether there may be a next page. The server stops counting at its limit; beyond that limit, a full page is the
 * only sign of a next page.
 */
export function hasNextPage(count: ListCount, shown: number, { limit, offset }: Window): boolean {
  const isBeyond = !count.exact && offset + shown >= count.total;
  return isBeyond ? shown === limit : offset + limit < count.total;
}

/** Returns whether the server refuses the next page. */
export function isDeepestPage({ limit, offset }: Window): boolean {
  return offset + limit > MAX_OFFSET;
}

function sameFilter(one: Filter, other: Filter): boolean {
  return (
    one.key === other.key &&
    one.operator === other.operator &&
    one.values.length === other.values.length &&
    one.values.every(({ value }) => other.values.some((entry) => entry.value === value))
  );
}

/** Returns the keys of the fields that views filter by, such as the status. Ignores standing views. */
function sharedKeys(views: readonly ListView[]): Set<string> {
  const shared = views.filter(({ standing }) => !standing);
  return new Set(shared.flatMap((view) => view.filters.map(({ key }) => key)));
}

const holds = (filters: readonly Filter[], filter: Filter) =>
  filters.some((entry) => sameFilter(filter, entry));

/**
 * Returns the view whose filters are all applied. Additional filters are allowed, except on the fields of `sharedKeys`.
 * If several views match, returns the one with the most filters.
 */
export function activeView(
  filters: readonly Filter[],
  views: readonly ListView[],
): ListView | undefined {
  const keys = sharedKeys(views);
  return views
    .filter(
      (view) =>
        view.filters.every((filter) => holds(filters, filter)) &&
        filters.every((filter) => !keys.has(filter.key) || holds(view.filters, filter)),
    )
    .reduce<ListView | undefined>(
      (most, view) => (most && most.filters.length >= view.filters.length ? most : view),
      undefined,
    );
}

/** Switches to a view and keeps the filters that belong to no view. */
export function applyView(
  filters: readonly Filter[],
  view: ListView,
  views: readonly ListView[],
): Filter[] {
  const keys = new Set([...sharedKeys(views), ...view.filters.map(({ key }) => key)]);
  const standing = views.flatMap((entry) => (entry.standing ? entry.filters : []));
  const others = filters.filter((filter) => !keys.has(filter.key) && !holds(standing, filter));
  return [...others, ...view.filters];
}
