import type { ChartData } from '@/ui/charts/chart-data';
import type { DayRange } from '@/lib/dates';
import { bucketsOf, formatBucket } from './buckets';
import { type AnalyticsRow, bucketKey, type Granularity, numberOf } from './query';

/** The maximum number of series that can be told apart. The smallest series are merged into one. */
const MAX_SERIES = 8;
const MAX_CATEGORIES = 60;
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
  labelOf: (member: string, value: string) => string;
  /** Names of the only series, and of the series that merges the smallest ones. */
  names: { measure: string; others: string };
}

const idOf = (value: unknown) => (value === null || value === undefined || value === '' ? NO_VALUE : String(value));

function unique(values: readonly string[]): string[] {
  return [...new Set(values)];
}

/** Pivots the rows of a query into categories and series. Time buckets without rows become empty categories. */
export function pivot(spec: PivotSpec): ChartData {
  const { rows, measure, by, split, labelOf, names, additive = true } = spec;
  const key = by && ('granularity' in by ? bucketKey(by) : by.dimension);
  const cells = new Map<string, number>();
  const totals = new Map<string, number>();
  for (const row of rows) {
    const value = numberOf(row[measure]);
    if (value === null) continue;
    const series = split ? idOf(row[split]) : measure;
    const cell = `${key ? idOf(row[key]) : ''}\n${series}`;
    cells.set(cell, (cells.get(cell) ?? 0) + value);
    totals.set(series, (totals.get(series) ?? 0) + value);
  }
  const { shown, rest } = choose(totals, spec.order ?? [], additive);
  const found = unique(rows.map((row) => (key ? idOf(row[key]) : '')));
  const categories = categoriesOf(found, by).slice(0, by && !('granularity' in by) ? MAX_CATEGORIES : undefined);
  const at = (category: string, series: string) => cells.get(`${category}\n${series}`) ?? null;
  const series = shown.map((id) => ({
    id,
    label: split ? labelOf(split, id) : names.measure,
    values: categories.map((category) => at(category, id)),
  }));
  if (rest.length > 0) {
    series.push({
      id: OTHERS,
      label: names.others,
      values: categories.map((category) => rest.reduce((sum, id) => sum + (at(category, id) ?? 0), 0)),
    });
  }
  return {
    categories: categories.map((id) => ({ id, label: labelOfCategory(id, spec) })),
    isTime: by !== undefined && 'granularity' in by,
    series,
  };
}

function choose(totals: ReadonlyMap<string, number>, order: readonly string[], additive: boolean) {
  const bySize = [...totals].toSorted(([, one], [, other]) => other - one).map(([id]) => id);
  const known = order.filter((id) => totals.has(id));
  const all = unique([...known, ...bySize]);
  if (all.length <= MAX_SERIES) return { shown: all, rest: [] };
  return { shown: all.slice(0, MAX_SERIES - 1), rest: additive ? all.slice(MAX_SERIES - 1) : [] };
}

function categoriesOf(found: string[], by: PivotSpec['by']): string[] {
  if (!by || !('granularity' in by)) return found;
  const all = by.range && bucketsOf(by.range, by.granularity);
  return all ?? found.filter((id) => id !== NO_VALUE).toSorted();
}

function labelOfCategory(id: string, { by, labelOf, names }: PivotSpec): string {
  if (!by) return names.measure;
  if ('granularity' in by && id !== NO_VALUE) return formatBucket(id, by.granularity);
  return labelOf(by.dimension, id);
}
