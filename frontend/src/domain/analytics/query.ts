// Queries and results of the analytics service, in Cube's wire format.
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
  /** Two days, both inclusive, in the query's time zone; or a relative range such as 'today'. */
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
/** Values by member. A time dimension appears under its own name and as `<name>.<granularity>`. */
export type AnalyticsRow = Readonly<Record<string, Cell>>;

/** Column of compared ranges: the range of a row. */
export const COMPARED = 'compareDateRange';
/** Column of blended queries: the number of the query that a row is of. The service does not send it. */
export const QUERY_NUMBER = 'query';

const cell = v.union([v.string(), v.number(), v.boolean(), v.null()]);
const memberSchema = v.object({ title: v.string(), shortTitle: v.string(), type: v.string() });
const annotationSchema = v.object({
  measures: v.record(v.string(), memberSchema),
  dimensions: v.record(v.string(), memberSchema),
  timeDimensions: v.record(v.string(), memberSchema),
});

const resultSchema = v.object({
  query: v.object({
    measures: v.optional(v.array(v.string())),
    dimensions: v.optional(v.array(v.string())),
    /** The effective order, also if the query has none. */
    order: v.nullish(v.array(v.object({ id: v.string(), desc: v.boolean() }))),
    limit: v.nullish(v.number()),
    timezone: v.optional(v.string()),
  }),
  data: v.array(v.record(v.string(), cell)),
  annotation: annotationSchema,
  lastRefreshTime: v.optional(v.string()),
});

export type AnalyticsResult = v.InferOutput<typeof resultSchema>;

export const singleSchema = v.object({ data: v.array(v.record(v.string(), cell)) });
/** The response: one result per compared range or blended query; a single result for any other query. */
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
    /** The tables that the service read: roll-ups or facts. */
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

/** Returns the key under which a result row has the time bucket. */
export function bucketKey({ dimension, granularity }: TimeDimension): string {
  return granularity ? `${dimension}.${granularity}` : dimension;
}

/** Parses a measure, which the server sends as a string. Null stays null. */
export function numberOf(value: Cell | undefined): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}
