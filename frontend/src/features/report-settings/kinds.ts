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
