// A draft is a query as the builder edits it. Every draft converts to a query. A query with comparisons, or with filters
// that lists would combine differently, has no draft.
import * as v from 'valibot';
import { analyticsFilters, OPERATORS } from '@/domain/analytics/delivery-filters';
import { type AnalyticsQuery, GRANULARITIES, type Granularity } from '@/domain/analytics/query';
import { isDay } from '@/lib/dates';
import { type Filter, FILTER_OPERATORS, takesNoValues } from '@/list/filters-codec';

export const MAX_LIMIT = 50_000;
export const DEFAULT_LIMIT = 1000;
export const MAX_QUERY = 20_000;

/** Date ranges as the analytics service writes them, by their names in the app. */
export const RANGES = {
  today: 'today',
  yesterday: 'yesterday',
  last7days: 'from 6 days ago to now',
  last30days: 'from 29 days ago to now',
  thisWeek: 'this week',
  lastWeek: 'last week',
  thisMonth: 'this month',
  lastMonth: 'last month',
  thisYear: 'this year',
} as const;
export type RangeName = keyof typeof RANGES;

export interface DraftTime {
  dimension: string;
  granularity: Granularity | undefined;
  /** A named range or two days; undefined for all time. */
  range: RangeName | readonly [string, string] | undefined;
}

export interface Draft {
  measures: readonly string[];
  dimensions: readonly string[];
  time: DraftTime | undefined;
  filters: readonly Filter[];
  order: readonly (readonly [string, 'asc' | 'desc'])[];
  limit: number;
  /** Undefined means UTC, the default of the service. */
  timezone: string | undefined;
}

export function firstDraft(timezone: string): Draft {
  return {
    measures: ['Delivery.count'],
    dimensions: ['Delivery.deliverystatus'],
    time: { dimension: 'Delivery.scheduledatetime', granularity: 'day', range: 'last7days' },
    filters: [],
    order: [],
    limit: DEFAULT_LIMIT,
    timezone,
  };
}

const BACK = new Map(FILTER_OPERATORS.map((operator) => [OPERATORS[operator], operator]));

export function queryOf(draft: Draft): AnalyticsQuery {
  const { measures, dimensions, time, filters, order, limit, timezone } = draft;
  const range = time?.range;
  const dateRange = range === undefined ? undefined : typeof range === 'string' ? RANGES[range] : range;
  const members = new Set([...measures, ...dimensions, ...(time?.granularity ? [time.dimension] : [])]);
  const sorted = order.filter(([member]) => members.has(member));
  return {
    ...(measures.length > 0 && { measures }),
    ...(dimensions.length > 0 && { dimensions }),
    ...(time && {
      timeDimensions: [
        {
          dimension: time.dimension,
          ...(time.granularity && { granularity: time.granularity }),
          ...(dateRange && { dateRange }),
        },
      ],
    }),
    ...(filters.length > 0 && { filters: analyticsFilters(filters) }),
    ...(sorted.length > 0 && { order: sorted }),
    limit,
    ...(timezone !== undefined && { timezone }),
  };
}

const leafSchema = v.strictObject({
  member: v.string(),
  operator: v.string(),
  values: v.optional(v.array(v.string()), []),
});
const filtersSchema = v.array(v.union([leafSchema, v.strictObject({ or: v.array(leafSchema) })]));
type Leaf = v.InferOutput<typeof leafSchema>;

const direction = v.picklist(['asc', 'desc']);
const draftQuery = v.strictObject({
  measures: v.optional(v.array(v.string()), []),
  dimensions: v.optional(v.array(v.string()), []),
  timeDimensions: v.optional(
    v.pipe(
      v.array(
        v.strictObject({
          dimension: v.string(),
          granularity: v.optional(v.picklist(GRANULARITIES)),
          dateRange: v.optional(v.union([v.string(), v.tuple([v.string(), v.string()])])),
        }),
      ),
      v.maxLength(1),
    ),
    [],
  ),
  filters: v.optional(filtersSchema, []),
  order: v.optional(
    v.union([v.array(v.tuple([v.string(), direction])), v.pipe(v.record(v.string(), direction), v.transform((it) => Object.entries(it)))]),
    [],
  ),
  limit: v.optional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(MAX_LIMIT)), DEFAULT_LIMIT),
  timezone: v.optional(v.string()),
});

function rangeOf(dateRange: string | [string, string] | undefined): DraftTime['range'] | null {
  if (dateRange === undefined) return undefined;
  if (typeof dateRange !== 'string') return dateRange.every(isDay) ? dateRange : null;
  const names = Object.keys(RANGES) as RangeName[];
  return names.find((name) => RANGES[name] === dateRange.toLowerCase()) ?? null;
}

function filterOf({ member, operator, values }: Leaf, isTime: boolean): Filter | undefined {
  const known = BACK.get(operator);
  if (!known) return undefined;
  const isDays = known === 'inDateRange' && values.length === 2 && values.every(isDay);
  if ((isTime || known === 'inDateRange') && !isDays && !takesNoValues(known)) return undefined;
  return { key: member, operator: known, values: values.map((value) => ({ label: value, value })) };
}

/** Converts the filters of a query back; undefined if `analyticsFilters` would not produce the same filters. */
function filtersOf(parts: v.InferOutput<typeof filtersSchema>, times: ReadonlySet<string>): Filter[] | undefined {
  const leaves = parts.flatMap((part) => ('or' in part ? part.or : [part]));
  const filters = leaves.flatMap((leaf) => filterOf(leaf, times.has(leaf.member)) ?? []);
  if (filters.length < leaves.length) return undefined;
  // They are joined by AND, so their order has no meaning.
  const textOf = (some: typeof parts) => some.map((part) => JSON.stringify(part)).toSorted().join('\n');
  return textOf(v.parse(filtersSchema, analyticsFilters(filters))) === textOf(parts) ? filters : undefined;
}

/**
 * Converts a query to a draft; undefined if the builder cannot represent it completely. `times` are the time members,
 * whose filters have their own rules.
 */
export function draftOf(query: unknown, times: readonly { name: string }[] = []): Draft | undefined {
  const found = v.safeParse(draftQuery, query);
  if (!found.success) return undefined;
  const { measures, dimensions, timeDimensions, order, limit, timezone } = found.output;
  const [time] = timeDimensions;
  const range = rangeOf(time?.dateRange);
  if (range === null) return undefined;
  const filters = filtersOf(found.output.filters, new Set(times.map(({ name }) => name)));
  if (!filters) return undefined;
  return {
    measures,
    dimensions,
    time: time && { dimension: time.dimension, granularity: time.granularity, range },
    filters,
    order,
    limit,
    timezone,
  };
}

/** Parses a query typed as text; undefined if it is not a JSON object or array. */
export function parseQuery(text: string): AnalyticsQuery | AnalyticsQuery[] | undefined {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as AnalyticsQuery) : undefined;
  } catch {
    return undefined;
  }
}

export function formatQuery(query: unknown): string {
  return JSON.stringify(query, null, 2);
}
