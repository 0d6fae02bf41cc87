import {
  analyticsFilters,
  DEFAULT_DAYS,
  DISPATCH,
  fieldOfMember,
  memberOfField,
} from '@/domain/analytics/delivery-filters';
import { type AnalyticsQuery, bucketKey, GRANULARITIES, type Granularity } from '@/domain/analytics/query';
import { filters as listFields } from '@/domain/delivery-list/filters';
import type { TextKey } from '@/i18n/texts';
import { type DayRange, daysIn } from '@/lib/dates';
import { DAY_PRESETS, lastDays } from '@/list/date-values';
import { encodeFilters, type Filter, FILTER_OPERATORS, type FilterOperator, splitValues } from '@/list/filters-codec';
import { CHOICE_OPERATORS, type FilterField, type Lookup, TEXT_OPERATORS } from '@/list/resource';
import type { ReportMember, SavedReport } from './queries';

// The filters of a report. First come the fields of the deliveries list that are also dimensions, with their labels in
// the list. The remaining dimensions follow.


const KEYS = [
  'dateRange',
  'id',
  'customername',
  'trucker',
  'deliverystatus',
  'outcomeReason',
  'reason',
  'scanmode',
  'conflict',
  'driverId',
  'shipmentnumber',
  'shipmentstatus',
];

const OTHERS: readonly { member: string; labelKey: TextKey }[] = [
  { member: 'Driver.driverName', labelKey: 'reports:members.Driver_driverName' },
  { member: 'Delivery.source', labelKey: 'reports:members.Delivery_source' },
  { member: 'Variance.kind', labelKey: 'reports:members.Variance_kind' },
  { member: 'Variance.responsible', labelKey: 'reports:members.Variance_responsible' },
];

/** Fields that keep the lookup of the list, because the analytics service labels their values differently. */
const OWN_LOOKUP: ReadonlySet<string> = new Set(['outcomeReason']);

export function reportFields(lookupOf: (member: string) => Lookup): FilterField[] {
  const known = KEYS.flatMap((key): FilterField[] => {
    const field = listFields.find((entry) => entry.key === key);
    if (!field) return [];
    if (field.kind === 'date-range') return [{ ...field, presets: DAY_PRESETS }];
    const member = memberOfField(key);
    if (!member || OWN_LOOKUP.has(key)) return [{ ...field, operators: CHOICE_OPERATORS }];
    if (field.kind !== 'text') return [field];
    return [{ ...field, operators: TEXT_OPERATORS, lookup: lookupOf(member) }];
  });
  const others = OTHERS.map(({ member, labelKey }): FilterField => ({
    key: member,
    labelKey,
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: lookupOf(member),
  }));
  return [...known, ...others];
}

/** Keeps the number of days instead of the days, so that an open report and a link to it move on with the calendar. */
function lastDaysFilter(count: number): Filter {
  const value = lastDays(count);
  return { key: 'dateRange', operator: 'inDateRange', values: [{ label: value, value }] };
}

export const DEFAULT_FILTERS: readonly Filter[] = [lastDaysFilter(DEFAULT_DAYS)];

export function areDefault(filters: readonly Filter[]): boolean {
  return encodeFilters(filters) === encodeFilters(DEFAULT_FILTERS);
}

/** Every report has one date range: removing it restores the default, and only the first one counts. */
export function withRange(filters: readonly Filter[]): Filter[] {
  const range = filters.find(({ key }) => key === 'dateRange');
  if (!range) return [...DEFAULT_FILTERS, ...filters];
  return filters.filter((filter) => filter.key !== 'dateRange' || filter === range);
}

// The definition of a report: measure, grouping and filters. It is kept in the URL, so that links reproduce it.


export const COUNT = 'Delivery.count';
export const STATUS = 'Delivery.deliverystatus';
export const REASON = 'Delivery.outcomeReason';
/** Maximum number of rows read for the chart, the table and the download. The table shows only the first of them. */
export const ROW_LIMIT = 5000;
export const NONE = 'none';

export interface ReportColumn {
  member: string;
  label: string;
  visible: boolean;
  width: number | null;
}

export interface ReportDefinition {
  reportKey: SavedReport['reportKey'];
  measures: readonly string[];
  dimensions: readonly string[];
  granularity: Granularity | undefined;
  columns: readonly ReportColumn[];
  sort: readonly { member: string; direction: 'asc' | 'desc' }[];
}

/** The default report: deliveries by day and status. */
export const FIRST_REPORT: ReportDefinition = {
  reportKey: 'deliveries',
  measures: [COUNT],
  dimensions: [STATUS],
  granularity: 'day',
  columns: [],
  sort: [],
};

function isGranularity(text: string): text is Granularity {
  return (GRANULARITIES as readonly string[]).includes(text);
}

/**
 * Returns what a saved report means, as `report_mail/query.rs` of the analytics service does. A dimension or a time that
 * is hidden must not split rows that look the same without it; a dimension that is not grouped by is hidden.
 */
export function definitionOf(saved: SavedReport, members: readonly ReportMember[]): ReportDefinition {
  const { reportKey, groupBy } = saved;
  const kinds = new Map(members.map(({ member, kind }) => [member, kind]));
  const isLeftOut = (member: string) =>
    kinds.get(member) === 'dimension' && groupBy.length > 0 && !groupBy.includes(member);
  const columns = saved.columns
    .filter(({ member }) => kinds.has(member))
    .map((column) => (isLeftOut(column.member) ? { ...column, visible: false } : column));
  const ofKind = (kind: ReportMember['kind']) => columns.filter(({ member }) => kinds.get(member) === kind);
  const measures = ofKind('measure').map(({ member }) => member);
  return {
    reportKey,
    measures: measures.length > 0 ? measures : [reportKey === 'variances' ? 'Variance.count' : COUNT],
    dimensions: ofKind('dimension').filter(({ visible }) => visible).map(({ member }) => member),
    granularity: isHidden(columns, DISPATCH) ? undefined : (saved.granularity ?? undefined),
    columns,
    sort: saved.sort,
  };
}

function isHidden(columns: readonly ReportColumn[], member: string): boolean {
  return columns.some((column) => column.member === member && !column.visible);
}

/** Returns the measure that is drawn unless another one is chosen. */
export function firstMeasure({ measures, columns }: ReportDefinition): string {
  return measures.find((member) => !isHidden(columns, member)) ?? measures[0] ?? COUNT;
}

/** The initial filters of a saved report. */
export function filtersOf(saved: SavedReport): Filter[] {
  const own = saved.defaultFilters.flatMap(({ key, operator, values }): Filter[] => {
    const known = FILTER_OPERATORS.find((entry): entry is FilterOperator => entry === operator);
    if (!known) return [];
    return [
      { key: fieldOfMember(key) ?? key, operator: known, values: values.map((value) => ({ label: value, value })) },
    ];
  });
  return [lastDaysFilter(saved.rangeDays), ...own];
}

/**
 * Applies the changes in the URL to a report, except for members that it doesn't have. A hidden column that is
 * chosen is shown.
 */
export function changed(
  base: ReportDefinition,
  params: URLSearchParams,
  members: readonly { member: string; kind: string }[],
): ReportDefinition {
  const known = (name: string, kind: string) => {
    const member = params.get(name);
    return member === NONE || members.some((one) => one.kind === kind && one.member === member) ? member : null;
  };
  const by = params.get('by');
  const split = known('split', 'dimension');
  const measure = known('measure', 'measure');
  const chosen = new Set([split, measure, ...(by !== null && isGranularity(by) ? [DISPATCH] : [])]);
  return {
    ...base,
    columns: base.columns.map((column) => (chosen.has(column.member) ? { ...column, visible: true } : column)),
    ...(by !== null && { granularity: isGranularity(by) ? by : undefined }),
    ...(split !== null && { dimensions: split === NONE ? [] : [split] }),
    ...(measure !== null && !base.measures.includes(measure) && { measures: [measure, ...base.measures] }),
  };
}

/** Returns the order of the rows, by members that the report shows. */
export function orderOf({ measures, dimensions, granularity, sort }: ReportDefinition): [string, 'asc' | 'desc'][] {
  const inQuery = new Set([...measures, ...dimensions, ...(granularity ? [DISPATCH] : [])]);
  return sort
    .filter(({ member }) => inQuery.has(member))
    .map(({ member, direction }): [string, 'asc' | 'desc'] => [member, direction]);
}

export function reportQuery(
  report: ReportDefinition,
  filters: readonly Filter[],
  range: DayRange,
  timezone: string,
): AnalyticsQuery {
  const { measures, dimensions, granularity } = report;
  const order = orderOf(report);
  const where = analyticsFilters(filters);
  return {
    measures,
    dimensions,
    timeDimensions: [{ dimension: DISPATCH, dateRange: [range.from, range.to], ...(granularity && { granularity }) }],
    ...(where.length > 0 && { filters: where }),
    ...(order.length > 0 && { order }),
    limit: ROW_LIMIT,
    timezone,
  };
}

export interface ShownColumn {
  /** Key of the column in a result row. */
  key: string;
  member: string;
  title: string;
  kind: 'time' | 'dimension' | 'measure';
}

/** Returns the columns of a report, in the order of the saved report if there is one. */
export function shownColumns(report: ReportDefinition, titleOf: (member: string) => string): ShownColumn[] {
  const { measures, dimensions, granularity, columns } = report;
  const time = granularity && { key: bucketKey({ dimension: DISPATCH, granularity }), member: DISPATCH };
  const all = [
    ...(time ? [{ ...time, kind: 'time' as const }] : []),
    ...dimensions.map((member) => ({ key: member, member, kind: 'dimension' as const })),
    ...measures.map((member) => ({ key: member, member, kind: 'measure' as const })),
  ];
  const placeOf = (member: string) => {
    const at = columns.findIndex((column) => column.member === member);
    // Time buckets come first unless the saved report orders them.
    if (at < 0) return member === DISPATCH ? -1 : columns.length;
    return at;
  };
  return all
    .filter(({ member }) => columns.find((column) => column.member === member)?.visible !== false)
    .map((column) => ({
      ...column,
      title: columns.find(({ member }) => member === column.member)?.label || titleOf(column.member),
    }))
    .toSorted((one, other) => placeOf(one.member) - placeOf(other.member));
}

/**
 * Converts the open report to input for saving. Columns keep their order, and hidden ones stay; the range becomes a number
 * of days up to today.
 */
export function settingInput(
  report: ReportDefinition,
  filters: readonly Filter[],
  range: DayRange,
  memberOf: (key: string) => string | undefined,
) {
  const { reportKey, measures, dimensions, granularity } = report;
  const members = [...(granularity ? [DISPATCH] : []), ...dimensions, ...measures];
  const kept = report.columns.filter(
    ({ member, visible }) => members.includes(member) || (!visible && member !== DISPATCH),
  );
  const added = members
    .filter((member) => kept.every((column) => column.member !== member))
    .map((member) => ({ member, label: '', visible: true, width: null }));
  // Like `shownColumns`, put a time that has no place in the report first.
  const first = added.filter(({ member }) => member === DISPATCH);
  const columns = [...first, ...kept, ...added.filter((column) => !first.includes(column))];
  const sorted = report.sort.filter(({ member }) => columns.some((column) => column.member === member));
  return {
    reportKey,
    columns: columns.map(({ member, label, visible, width }) => ({ member, label, visible, width })),
    defaultFilters: filters.flatMap(({ key, operator, values }) => {
      const member = memberOf(key);
      if (!member) return [];
      return splitValues(values.map(({ value }) => value)).map((some) => ({ key: member, operator, values: some }));
    }),
    rangeDays: Math.min(366, Math.max(1, daysIn(range))),
    granularity: granularity ?? null,
    groupBy: [...dimensions],
    sort: sorted.map(({ member, direction }) => ({ member, direction })),
  };
}
