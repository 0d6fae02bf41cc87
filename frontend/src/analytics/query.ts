// The queries of the analytics service and its answers, as Cube's clients speak them (contracts of the wire).
import * as v from 'valibot';

export const GRANULARITIES = ['second', 'minute', 'hour', 'day', 'week', 'month', 'quarter', 'year'] as const;
export type Granularity = (typeof GRANULARITIES)[number];

export interface MemberFilter {
  member: string;
  operator: string;
  values?: readonly (string | null)[];
}

export type AnalyticsFilter = MemberFilter | { or: readonly AnalyticsFilter[] } | { and: readonly AnalyticsFilter[] };

export interface TimeDimension {
  dimension: string;
  granularity?: Granularity;
  /** Two days, both included, in the query's time zone; or a relative range such as 'today'. */
  dateRange?: readonly [string, string] | string;
}

export interface AnalyticsQuery {
  measures?: readonly string[];
  dimensions?: readonly string[];
  timeDimensions?: readonly TimeDimension[];
  filters?: readonly AnalyticsFilter[];
  order?: readonly (readonly [string, 'asc' | 'desc'])[] | Readonly<Record<string, 'asc' | 'desc'>>;
  limit?: number;
  offset?: number;
  timezone?: string;
}

export type Cell = string | number | boolean | null;
/** By member. A time dimension is there under its own name and under `<name>.<granularity>`. */
export type AnalyticsRow = Readonly<Record<string, Cell>>;

const cell = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const memberSchema = v.object({ title: v.string(), shortTitle: v.string(), type: v.string() });
const annotationSchema = v.object({
  measures: v.record(v.string(), memberSchema),
  dimensions: v.record(v.string(), memberSchema),
  timeDimensions: v.record(v.string(), memberSchema),
});

const resultSchema = v.object({
  query: v.object({ limit: v.nullish(v.number()), timezone: v.optional(v.string()) }),
  data: v.array(v.record(v.string(), cell)),
  annotation: annotationSchema,
  lastRefreshTime: v.optional(v.string()),
});

export type AnalyticsResult = v.InferOutput<typeof resultSchema>;

export const singleSchema = v.object({ data: v.array(v.record(v.string(), cell)) });
/** One for each range that is compared, or each query that is blended; otherwise one. */
export const resultsSchema = v.object({ results: v.pipe(v.array(resultSchema), v.minLength(1)) });

const metaMember = v.object({ name: v.string(), title: v.string(), shortTitle: v.string(), type: v.string() });
export const metaSchema = v.object({
  cubes: v.array(
    v.object({
      name: v.string(),
      title: v.string(),
      measures: v.array(metaMember),
      dimensions: v.array(metaMember),
    }),
  ),
});
export type AnalyticsMeta = v.InferOutput<typeof metaSchema>;
export type MetaMember = v.InferOutput<typeof metaMember>;

const sqlOf = v.object({
  sql: v.object({
    sql: v.tuple([v.string(), v.array(v.unknown())]),
    /** What the service chose to read: roll-ups or facts. */
    source: v.optional(v.string()),
  }),
});
export const sqlSchema = v.pipe(
  v.union([v.array(sqlOf), sqlOf]),
  v.transform((answer) =>
    [answer].flat().map(({ sql }) => ({
      text: sql.sql[0],
      parameters: sql.sql[1].map(String),
      source: sql.source,
    })),
  ),
);
export type AnalyticsSql = v.InferOutput<typeof sqlSchema>;

/** The key of a time dimension's buckets in a row. */
export function bucketKey({ dimension, granularity }: TimeDimension): string {
  return granularity ? `${dimension}.${granularity}` : dimension;
}

/** Measures come as text; what is missing stays null. */
export function numberOf(value: Cell | undefined): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
