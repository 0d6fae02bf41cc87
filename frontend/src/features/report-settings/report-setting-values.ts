import type { ReportSetting } from './queries';

type Granularity = NonNullable<ReportSetting['granularity']>;

export const REPORT_KEYS = [
  'deliveries',
  'variances',
  'shipments',
  'drivers',
  'customers',
] as const satisfies readonly ReportSetting['reportKey'][];

export const FORMATS = ['csv', 'xlsx', 'pdf'] as const satisfies readonly ReportSetting['format'][];

export const GRANULARITIES = [
  'second',
  'minute',
  'hour',
  'day',
  'week',
  'month',
  'quarter',
  'year',
] as const satisfies readonly Granularity[];

export const DIRECTIONS = ['asc', 'desc'] as const;

/** Id in the address for a new report setting. */
export const NEW_ID = 'new';

export type ReportColumn = ReportSetting['columns'][number];
export type ReportFilter = ReportSetting['defaultFilters'][number];
export type ReportSort = ReportSetting['sort'][number];

export const NAME_LENGTH = 100;
export const MAX_COLUMNS = 40;
export const MAX_DAYS = 366;

/** Returns the entries with one moved to another position. */
export function moved<Entry>(entries: readonly Entry[], from: number, to: number): Entry[] {
  const rest = entries.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...entries.slice(from, from + 1), ...rest.slice(to)];
}
