import {
  analyticsFilters,
  daysFilter,
  DISPATCH,
  fieldOfMember,
  memberOfField,
} from '@/analytics/delivery-filters';
import { type AnalyticsQuery, bucketKey, GRANULARITIES, type Granularity } from '@/analytics/query';
import { filters as listFields } from '@/delivery-list/filters';
import { type DayRange, recentDays } from '@/lib/dates';
import { type Filter, FILTER_OPERATORS, type FilterOperator } from '@/list/filters-codec';
import { CHOICE_OPERATORS, type FilterField, type Lookup, TEXT_OPERATORS } from '@/list/resource';
import type { ReportMember, SavedReport } from './queries';

// What a report is filtered by: the fields of the list of deliveries that are dimensions as well, under the labels
// they have there, and the dimensions that the list has no field for.


const KEYS = [
  'dateRange',
  'id',
  'customername',
  'trucker',
  'deliverystatus',
  'outcomeReason',
  'reason',
  'scanmode',
  'driverId',
  'shipmentnumber',
  'shipmentstatus',
];

const OTHERS = ['Driver.driverName', 'Delivery.source', 'Variance.kind', 'Variance.responsible'];

/** Fields whose values the lists know by other words than the service. */
const OWN_LOOKUP: ReadonlySet<string> = new Set(['outcomeReason']);

export function reportFields(lookupOf: (member: string) => Lookup): FilterField[] {
  const known = KEYS.flatMap((key): FilterField[] => {
    const field = listFields.find((entry) => entry.key === key);
    if (!field) return [];
    const member = memberOfField(key);
    if (!member || OWN_LOOKUP.has(key)) return [{ ...field, ...(key !== 'dateRange' && { operators: CHOICE_OPERATORS }) }];
    if (field.kind !== 'text') return [field];
    return [{ ...field, operators: TEXT_OPERATORS, lookup: lookupOf(member) }];
  });
  const others = OTHERS.map((member): FilterField => ({
    key: member,
    labelKey: `reports:members.${member.replace('.', '_')}`,
    kind: 'text',
    operators: TEXT_OPERATORS,
    lookup: lookupOf(member),
  }));
  return [...known, ...others];
}

export const DEFAULT_FILTERS: readonly Filter[] = [
  { key: 'dateRange', operator: 'inDateRange', values: [{ label: 'last7days', value: 'last7days' }] },
];

/** A report is of some days, always: taking the range away leaves the default one. */
export function withRange(filters: readonly Filter[]): Filter[] {
  return filters.some(({ key }) => key === 'dateRange') ? [...filters] : [...DEFAULT_FILTERS, ...filters];
}

// A report: what it counts, by what, of which deliveries. It is in the address, so that a link shows the same.


export const COUNT = 'Delivery.count';
export const STATUS = 'Delivery.deliverystatus';
/** Rows on screen and in the file. */
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

/** Deliveries by day and status, which the page opens with. */
export const FIRST_REPORT: ReportDefinition = {
  reportKey: 'deliveries',
  measures: [COUNT],
  dimensions: [STATUS],
  granularity: 'day',
  columns: [],
  sort: [],
};

export function isGranularity(text: string): text is Granularity {
  return (GRANULARITIES as readonly string[]).includes(text);
}

export function definitionOf(saved: SavedReport, members: readonly ReportMember[]): ReportDefinition {
  const kindOf = (name: string) => members.find(({ member }) => member === name)?.kind;
  const ofKind = (kind: ReportMember['kind']) =>
    saved.columns.map(({ member }) => member).filter((member) => kindOf(member) === kind);
  const measures = ofKind('measure');
  return {
    reportKey: saved.reportKey,
    measures: measures.length > 0 ? measures : [saved.reportKey === 'variances' ? 'Variance.count' : COUNT],
    dimensions: ofKind('dimension'),
    granularity: saved.granularity ?? undefined,
    columns: saved.columns,
    sort: saved.sort,
  };
}

/** The filters that a saved report opens with. */
export function filtersOf(saved: SavedReport, timeZone: string): Filter[] {
  const days =
    saved.rangeDays === 7 ? DEFAULT_FILTERS : [daysFilter(recentDays(saved.rangeDays, timeZone))];
  const own = saved.defaultFilters.flatMap(({ key, operator, values }): Filter[] => {
    const known = FILTER_OPERATORS.find((entry): entry is FilterOperator => entry === operator);
    if (!known) return [];
    return [
      { key: fieldOfMember(key) ?? key, operator: known, values: values.map((value) => ({ label: value, value })) },
    ];
  });
  return [...days, ...own];
}

/** What the address changes of it. */
export function changed(base: ReportDefinition, params: URLSearchParams): ReportDefinition {
  const by = params.get('by');
  const split = params.get('split');
  const measure = params.get('measure');
  return {
    ...base,
    ...(by !== null && { granularity: isGranularity(by) ? by : undefined }),
    ...(split !== null && { dimensions: split === NONE ? [] : [split] }),
    ...(measure !== null && !base.measures.includes(measure) && { measures: [measure, ...base.measures] }),
  };
}

export function reportQuery(
  report: ReportDefinition,
  filters: readonly Filter[],
  range: DayRange,
  timezone: string,
): AnalyticsQuery {
  const { measures, dimensions, granularity, sort } = report;
  const inQuery = new Set([...measures, ...dimensions, ...(granularity ? [DISPATCH] : [])]);
  const order = sort
    .filter(({ member }) => inQuery.has(member))
    .map(({ member, direction }): [string, 'asc' | 'desc'] => [member, direction]);
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
  /** Its key in a row. */
  key: string;
  member: string;
  title: string;
  kind: 'time' | 'dimension' | 'measure';
}

/** The columns of the rows, in the order of the saved report where there is one. */
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
    // Buckets of time come first where the saved report does not place them.
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

/** How a report of now is kept: its range as days up to today. */
export function settingInput(
  report: ReportDefinition,
  filters: readonly Filter[],
  range: DayRange,
  memberOf: (key: string) => string | undefined,
) {
  const { reportKey, measures, dimensions, granularity } = report;
  const known = new Map(report.columns.map((column) => [column.member, column]));
  const members = [...(granularity ? [DISPATCH] : []), ...dimensions, ...measures];
  const kept = new Set(members);
  const days = (Date.parse(range.to) - Date.parse(range.from)) / 86_400_000 + 1;
  return {
    reportKey,
    columns: members.map((member) => {
      const { label = '', visible = true, width = null } = known.get(member) ?? {};
      return { member, label, visible, width };
    }),
    defaultFilters: filters.flatMap(({ key, operator, values }) => {
      const member = memberOf(key);
      return member ? [{ key: member, operator, values: values.map(({ value }) => value) }] : [];
    }),
    rangeDays: Math.min(366, Math.max(1, Math.round(days))),
    granularity: granularity ?? null,
    groupBy: [...dimensions],
    sort: report.sort.filter(({ member }) => kept.has(member)).map(({ member, direction }) => ({ member, direction })),
  };
}
