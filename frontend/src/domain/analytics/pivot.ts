import type { ChartData } from '@/ui/charts/chart-data';
import type { DayRange } from '@/lib/dates';
import { bucketsOf, formatBucket, MAX_BUCKETS, rangeOfBuckets } from './buckets';
import { type AnalyticsRow, bucketKey, type Granularity, numberOf } from './query';

/** The maximum number of series that can be told apart. */
const MAX_SERIES = 8;
const MAX_CATEGORIES = 60;
/** The category or series that adds up those beyond the maximum. */
export const OTHERS = '\u0000others';
export const NO_VALUE = '\u0000none';

export interface PivotSpec {
  rows: readonly AnalyticsRow[];
  measure: string;
  /** The category axis: time buckets, or the values of a dimension. */
  by: { dimension: string; granularity: Granularity; range?: DayRange } | { dimension: string } | undefined;
  /** The dimension of the series; without one there is a single series. */
  split?: string | undefined;
  /** The fixed order of series. Series that are not listed follow by size. */
  order?: readonly string[];
  /** Whether values can be summed: true for counts, false for rates. */
  additive?: boolean;
  /** The first member that the rows are sorted by. */
  sortedBy?: readonly [member: string, direction: 'asc' | 'desc'] | undefined;
  labelOf: (member: string, value: string) => string;
  /** Names of the only series, and of the category or series that adds up the rest. */
  names: { measure: string; others: string };
}

export interface Pivot extends ChartData {
  /** Number of categories and series beyond the maximum that are missing, because they were not added up. */
  leftOut: number;
}

const idOf = (value: unknown) => (value === null || value === undefined || value === '' ? NO_VALUE : String(value));

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/**
 * Pivots the rows of a query into categories and series. Time buckets without rows become empty categories. Categories
 * and series beyond the maximum are added up to one, or left out if their values cannot be summed; times beyond it are
 * always left out. When categories are combined, the largest are kept; if the rows are sorted by something else, the
 * first ones.
 */
export function pivot(spec: PivotSpec): Pivot {
  const { rows, measure, by, split, labelOf, names, additive = true } = spec;
  const isTime = by !== undefined && 'granularity' in by;
  const key = by && ('granularity' in by ? bucketKey(by) : by.dimension);
  const figures = rows.map((row) => ({
    category: key ? idOf(row[key]) : '',
    series: split ? idOf(row[split]) : measure,
    value: numberOf(row[measure]),
  }));
  const found = categoriesOf(unique(figures.map(({ category }) => category)), by);
  const range = by && 'granularity' in by ? (by.range ?? rangeOfBuckets(found)) : undefined;
  // With series, a row is only part of its category, so row order does not show which category is largest.
  const sizes = additive && isBySize(spec) ? totalsOf(figures, 'category') : undefined;
  // A sum of the later times would have no place on the axis.
  const categories = isTime ? cut(found, MAX_BUCKETS, false) : cut(found, MAX_CATEGORIES, additive, sizes);
  const series = cut(seriesOf(figures, spec.order ?? []), MAX_SERIES, additive);
  const cells = new Map<string, number>();
  for (const { category, series: own, value } of figures) {
    if (value === null) continue;
    const cell = `${categories.idIn(category)}\n${series.idIn(own)}`;
    cells.set(cell, (cells.get(cell) ?? 0) + value);
  }
  return {
    categories: categories.shown.map((id) => ({ id, label: labelOfCategory(id, spec, range) })),
    isTime,
    series: series.shown.map((id) => ({
      id,
      label: id === OTHERS ? names.others : split ? labelOf(split, id) : names.measure,
      values: categories.shown.map((category) => cells.get(`${category}\n${id}`) ?? null),
    })),
    leftOut: categories.leftOut + series.leftOut,
  };
}

interface Figure {
  category: string;
  series: string;
  value: number | null;
}

function totalsOf(figures: readonly Figure[], by: 'category' | 'series'): Map<string, number> {
  const totals = new Map<string, number>();
  for (const { value, [by]: id } of figures) {
    if (value !== null) totals.set(id, (totals.get(id) ?? 0) + value);
  }
  return totals;
}

function isBySize({ sortedBy, measure }: PivotSpec): boolean {
  return !sortedBy || (sortedBy[0] === measure && sortedBy[1] === 'desc');
}

/** Returns the series in their fixed order, then by size. */
function seriesOf(figures: readonly Figure[], order: readonly string[]): string[] {
  const totals = totalsOf(figures, 'series');
  const bySize = [...totals].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
  return unique([...order.filter((id) => totals.has(id)), ...bySize]);
}

/** Keeps the first ids, or the largest by `sizes`, in their order. */
function cut(ids: readonly string[], most: number, additive: boolean, sizes?: ReadonlyMap<string, number>) {
  if (ids.length <= most) return { shown: ids, leftOut: 0, idIn: (id: string) => id };
  if (!additive) return { shown: ids.slice(0, most), leftOut: ids.length - most, idIn: (id: string) => id };
  const sizeOf = (id: string) => sizes?.get(id) ?? 0;
  const own = new Set(ids.toSorted((one, other) => sizeOf(other) - sizeOf(one)).slice(0, most - 1));
  const shown = ids.filter((id) => own.has(id));
  return { shown: [...shown, OTHERS], leftOut: 0, idIn: (id: string) => (own.has(id) ? id : OTHERS) };
}

function categoriesOf(found: string[], by: PivotSpec['by']): string[] {
  if (!by || !('granularity' in by)) return found;
  const all = by.range && bucketsOf(by.range, by.granularity);
  return all ?? found.filter((id) => id !== NO_VALUE).toSorted();
}

function labelOfCategory(id: string, { by, labelOf, names }: PivotSpec, range: DayRange | undefined): string {
  if (id === OTHERS) return names.others;
  if (!by) return names.measure;
  if ('granularity' in by && range && id !== NO_VALUE) return formatBucket(id, by.granularity, range);
  return labelOf(by.dimension, id);
}
