// Converts query results to table columns and a chart.
import { addsUp, formatMeasure, isDrawable, isRate } from '@/domain/analytics/measures';
import { formatBucket, rangeOfBuckets } from '@/domain/analytics/buckets';
import { NO_VALUE, type Pivot, pivot, type PivotSpec } from '@/domain/analytics/pivot';
import {
  type AnalyticsResult,
  type AnalyticsRow,
  COMPARED,
  GRANULARITIES,
  type Granularity,
  numberOf,
  QUERY_NUMBER,
} from '@/domain/analytics/query';
import type { DayRange } from '@/lib/dates';
import { STATUS_ORDER } from '@/ui/charts/chart-data';

export interface ResultColumn {
  key: string;
  title: string;
  kind: 'dimension' | 'time' | 'measure';
  granularity?: Granularity;
  /** The days of all rows, of a time. */
  range?: DayRange | undefined;
}

function granularityOf(key: string): Granularity | undefined {
  const last = key.split('.')[2];
  return GRANULARITIES.find((granularity) => granularity === last);
}

/**
 * Returns the distinct columns of all results: dimensions, then measures. `titles` are those of the columns that tell
 * results apart: by the number of the query in blended queries, and by the range in compared ranges.
 */
export function columnsOf(
  results: readonly AnalyticsResult[],
  titles: { query: string; compared: string },
): ResultColumn[] {
  const rows = rowsOf(results);
  const found = new Map<string, ResultColumn>();
  const add = (column: ResultColumn) => found.has(column.key) || found.set(column.key, column);
  if (rows.some((row) => COMPARED in row)) add({ key: COMPARED, title: titles.compared, kind: 'dimension' });
  if (isBlended(results)) add({ key: QUERY_NUMBER, title: titles.query, kind: 'dimension' });
  for (const { annotation } of results) {
    for (const [key, { title }] of Object.entries(annotation.timeDimensions)) {
      const granularity = granularityOf(key);
      if (!granularity) continue;
      const buckets = rows.flatMap((row) => (row[key] ? [String(row[key])] : []));
      add({ key, title: `${title} (${granularity})`, kind: 'time', granularity, range: rangeOfBuckets(buckets) });
    }
    for (const [key, { title }] of Object.entries(annotation.dimensions)) add({ key, title, kind: 'dimension' });
  }
  for (const { annotation } of results) {
    for (const [key, { title }] of Object.entries(annotation.measures)) add({ key, title, kind: 'measure' });
  }
  return inOrder([...found.values()], results[0]?.query);
}

/** Sorts columns as in the query, since a response may list them in any order. */
function inOrder(columns: ResultColumn[], query: AnalyticsResult['query'] | undefined): ResultColumn[] {
  const { dimensions = [], measures = [] } = query ?? {};
  const place = ({ key, kind }: ResultColumn) => {
    const list = kind === 'measure' ? measures : dimensions;
    const at = list.indexOf(key);
    return (kind === 'measure' ? 2000 : kind === 'time' ? 0 : 1000) + (at < 0 ? 999 : at);
  };
  return columns.toSorted((one, other) => place(one) - place(other));
}

function isBlended(results: readonly AnalyticsResult[]): boolean {
  return results.length > 1 && !results.some(({ data: [first] }) => first && COMPARED in first);
}

/** Returns the rows of all results. Those of blended queries, which may look the same, get the number of their query. */
export function rowsOf(results: readonly AnalyticsResult[]): AnalyticsRow[] {
  if (!isBlended(results)) return results.flatMap(({ data }) => data);
  return results.flatMap(({ data }, index) => data.map((row) => ({ ...row, [QUERY_NUMBER]: String(index + 1) })));
}

/** Returns the first member that the rows are sorted by. */
export function sortOf(results: readonly AnalyticsResult[]): PivotSpec['sortedBy'] {
  const [first] = results[0]?.query.order ?? [];
  return first && [first.id, first.desc ? 'desc' : 'asc'];
}

export function textOf({ key, kind, granularity, range }: ResultColumn, row: AnalyticsRow, none: string): string {
  const value = row[key];
  if (value === null || value === undefined || value === '') return kind === 'measure' ? '–' : none;
  if (granularity && range) return formatBucket(String(value), granularity, range);
  const number = kind === 'measure' ? numberOf(value) : null;
  return number === null ? String(value) : formatMeasure(key)(number);
}

export interface ResultChart {
  data: Pivot;
  measure: ResultColumn;
  /** Name of the category axis. */
  heading: string;
  totals: boolean;
  rate: boolean;
}

/**
 * Charts the first measure by time, or else by the first dimension. Returns undefined without data for a chart, or if
 * the chart would have to add up values that must not be added.
 */
export function chartOf(
  columns: readonly ResultColumn[],
  rows: readonly AnalyticsRow[],
  names: { none: string; others: string; query: (number: string) => string },
  sortedBy?: PivotSpec['sortedBy'],
): ResultChart | undefined {
  const measure = columns.find(({ kind }) => kind === 'measure');
  const time = columns.find(({ kind }) => kind === 'time');
  const dimensions = columns.filter(({ kind }) => kind === 'dimension');
  const first = time ?? dimensions[0];
  if (!measure || !first || rows.length === 0) return undefined;
  const split = time ? dimensions[0] : dimensions[1];
  const grouped = columns.flatMap(({ key, kind }) => (kind === 'measure' ? [] : [key]));
  if (!isDrawable(measure.key, grouped, split ? 2 : 1)) return undefined;
  const totals = addsUp(measure.key, grouped);
  const labelOf = (member: string, value: string) => {
    if (value === NO_VALUE) return names.none;
    return member === QUERY_NUMBER ? names.query(value) : value;
  };
  const by = time?.granularity
    ? { dimension: time.key.slice(0, -time.granularity.length - 1), granularity: time.granularity }
    : { dimension: first.key };
  const data = pivot({
    rows,
    measure: measure.key,
    by,
    split: split?.key,
    order: STATUS_ORDER,
    additive: totals,
    sortedBy,
    labelOf,
    names: { measure: measure.title, others: names.others },
  });
  return { data, measure, heading: first.title, totals, rate: isRate(measure.key) };
}
