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

/** Stands for the one to be made where an address has an id: there is no address of its own for it. */
export const NEW_ID = 'new';

export type ReportColumn = ReportSetting['columns'][number];
export type ReportFilter = ReportSetting['defaultFilters'][number];
export type ReportSort = ReportSetting['sort'][number];

/** The fields of the forms, named as the server names them when it refuses one. */
export interface ReportSettingValues
  extends Pick<
    ReportSetting,
    'name' | 'reportKey' | 'columns' | 'defaultFilters' | 'groupBy' | 'sort' | 'format' | 'isActive'
  > {
  /** As it is typed. */
  rangeDays: string;
  /** Nothing at all: not by time. */
  granularity: NonNullable<ReportSetting['granularity']> | '';
}

/** In the order on screen. */
export const REPORT_SETTING_FIELDS = [
  'name',
  'reportKey',
  'columns',
  'defaultFilters',
  'rangeDays',
  'granularity',
  'groupBy',
  'sort',
  'format',
  'isActive',
] as const satisfies readonly (keyof ReportSettingValues)[];

export const NAME_LENGTH = 100;
export const MAX_COLUMNS = 40;
export const MAX_DAYS = 366;

/** Of deliveries, of the last 7 days up to today. */
export const NEW_REPORT_SETTING: ReportSettingValues = {
  name: '',
  reportKey: 'deliveries',
  columns: [],
  defaultFilters: [],
  rangeDays: '7',
  granularity: 'day',
  groupBy: [],
  sort: [],
  format: 'xlsx',
  isActive: true,
};

export function reportSettingValues(setting: ReportSetting): ReportSettingValues {
  const { name, reportKey, format, isActive, groupBy, granularity, rangeDays } = setting;
  return {
    name,
    reportKey,
    columns: setting.columns.map(({ member, label, visible, width }) => ({ member, label, visible, width })),
    defaultFilters: setting.defaultFilters.map(({ key, operator, values }) => ({ key, operator, values })),
    rangeDays: String(rangeDays),
    granularity: granularity ?? '',
    groupBy,
    sort: setting.sort.map(({ member, direction }) => ({ member, direction })),
    format,
    isActive,
  };
}

export function reportSettingInput(values: ReportSettingValues) {
  const { reportKey, columns, defaultFilters, groupBy, sort, format, isActive } = values;
  return {
    name: values.name.trim(),
    reportKey,
    columns: columns.map((column) => ({ ...column, label: column.label.trim() })),
    defaultFilters,
    rangeDays: Number(values.rangeDays),
    granularity: values.granularity || null,
    groupBy,
    sort,
    format,
    isActive,
  };
}

/** The entry at one place, at another. */
export function moved<Entry>(entries: readonly Entry[], from: number, to: number): Entry[] {
  const rest = entries.filter((_, index) => index !== from);
  return [...rest.slice(0, to), ...entries.slice(from, from + 1), ...rest.slice(to)];
}
