// Converts between filters of the deliveries list and of the analytics service. A figure and the list it links to use
// the same filters, so that they always agree.
import { filters as fields } from '@/domain/delivery-list/filters';
import { dayOf, type DayRange, isDay, recentDays } from '@/lib/dates';
import { isRelativeDays, relativeRange } from '@/list/date-values';
import { encodeFilters, type Filter, type FilterOperator } from '@/list/filters-codec';
import { routes } from '@/routing/routes';
import { type AnalyticsFilter, type AnalyticsRow, bucketKey, type Granularity } from './query';
import { daysOfBucket } from './buckets';

export const DISPATCH = 'Delivery.scheduledatetime';
export const DEFAULT_DAYS = 7;
const RANGE_KEY = 'dateRange';

/** Fields of the list that are also dimensions, with their dimension names. */
const MEMBERS: Readonly<Record<string, string>> = {
  id: 'Delivery.id',
  customername: 'CustomerReport.customername',
  trucker: 'Delivery.trucker',
  deliverystatus: 'Delivery.deliverystatus',
  outcomeReason: 'Delivery.outcomeReason',
  reason: 'Variance.reason',
  scanmode: 'Delivery.scanmode',
  conflict: 'Delivery.conflict',
  shipmentnumber: 'Delivery.shipmentnumber',
  shipmentstatus: 'Shipment.shipmentstatus',
  driverId: 'Driver.driverId',
};
const KEYS = new Map(Object.entries(MEMBERS).map(([key, member]) => [member, key]));

/** Dimensions that need no filter of their own if the row also has the dimension that determines them. */
const IMPLIED: Readonly<Record<string, string>> = { 'Driver.driverName': 'Driver.driverId' };

/** Names of the operators in queries. */
export const OPERATORS: Readonly<Record<FilterOperator, string>> = {
  contains: 'contains',
  '!contains': 'notContains',
  equals: 'equals',
  '!equals': 'notEquals',
  startsWith: 'startsWith',
  endsWith: 'endsWith',
  inDateRange: 'inDateRange',
  isEmpty: 'notSet',
  '!isEmpty': 'set',
};

/** Returns the dimension of a list field. A key with a dot is already the name of a dimension. */
export function memberOfField(key: string): string | undefined {
  return MEMBERS[key] ?? (key.includes('.') ? key : undefined);
}

export function fieldOfMember(member: string): string | undefined {
  return KEYS.get(member);
}

/** Values of one field are joined by OR; negated values and different fields are joined by AND. */
export function analyticsFilters(filters: readonly Filter[]): AnalyticsFilter[] {
  const positive = new Map<string, AnalyticsFilter[]>();
  const all: AnalyticsFilter[] = [];
  for (const { key, operator, values } of filters) {
    const member = memberOfField(key);
    if (!member) continue;
    const leaf = { member, operator: OPERATORS[operator], ...(values.length > 0 && { values: values.map(({ value }) => value) }) };
    if (operator.startsWith('!')) all.push(leaf);
    else positive.set(member, [...(positive.get(member) ?? []), leaf]);
  }
  for (const leaves of positive.values()) {
    const [only] = leaves;
    all.push(leaves.length === 1 && only ? only : { or: leaves });
  }
  return all;
}

/** Returns the days that the filters select; by default the last seven days, including today. */
export function daysOf(filters: readonly Filter[], timeZone: string, now: Date = new Date()): DayRange {
  const values = filters.find(({ key }) => key === RANGE_KEY)?.values.map(({ value }) => value) ?? [];
  const [first = '', second = ''] = values;
  if (isRelativeDays(first)) return relativeRange(first, timeZone, now);
  if (isDay(first) && isDay(second)) return first <= second ? { from: first, to: second } : { from: second, to: first };
  if (first && second) {
    return { from: dayOf(new Date(first), timeZone), to: dayOf(new Date(Date.parse(second) - 1), timeZone) };
  }
  return recentDays(DEFAULT_DAYS, timeZone, now);
}

export function daysFilter({ from, to }: DayRange): Filter {
  return { key: RANGE_KEY, operator: 'inDateRange', values: [from, to].map((day) => ({ label: day, value: day })) };
}

export function equalsFilter(key: string, ...values: string[]): Filter {
  return { key, operator: 'equals', values: values.map((value) => ({ label: value, value })) };
}

export function deliveriesAddress(filters: readonly Filter[]): string {
  return routes.deliveries({ filters: encodeFilters(filters) });
}

/** Restricts the filters to these statuses; returns undefined if the filters exclude all of them. */
export function withStatuses(filters: readonly Filter[], statuses: readonly string[]): Filter[] | undefined {
  const isPositive = ({ key, operator }: Filter) => key === 'deliverystatus' && operator === 'equals';
  const positive = filters.filter(isPositive);
  // The values of one field may be in one filter or in several.
  const allowed = new Set(positive.flatMap(({ values }) => values.map(({ value }) => value)));
  const left = statuses.filter((status) => allowed.size === 0 || allowed.has(status));
  if (left.length === 0) return undefined;
  return [...filters.filter((filter) => !isPositive(filter)), equalsFilter('deliverystatus', ...left)];
}

export interface DrillDown {
  /** The filters of the query. */
  filters: readonly Filter[];
  range: DayRange;
  /** The dimensions and granularity of the query. */
  dimensions: readonly string[];
  granularity?: Granularity | undefined;
  row: AnalyticsRow;
}

/** Fields that count differently: the list counts variances of every attempt, the service only of the current one. */
const COUNTED_OTHERWISE: ReadonlySet<string> = new Set(['reason']);

/**
 * Returns the filters for the deliveries behind a row. Returns undefined if the list cannot select exactly these
 * deliveries.
 */
export function filtersOfRow({ filters, range, dimensions, granularity, row }: DrillDown): Filter[] | undefined {
  if (filters.some(({ key }) => COUNTED_OTHERWISE.has(key) || key.includes('.'))) return undefined;
  const own: Filter[] = [];
  for (const member of dimensions) {
    const implying = IMPLIED[member];
    if (implying && dimensions.includes(implying)) continue;
    const key = KEYS.get(member);
    const field = fields.find((entry) => entry.key === key);
    if (!key || !field || COUNTED_OTHERWISE.has(key)) return undefined;
    const value = row[member];
    if (typeof value === 'string' && value !== '') own.push(equalsFilter(key, value));
    else if (!(field.operators as readonly string[]).includes('isEmpty')) return undefined;
    else own.push({ key, operator: 'isEmpty', values: [] });
  }
  let days: DayRange | undefined = range;
  if (granularity) {
    const bucket = row[bucketKey({ dimension: DISPATCH, granularity })];
    days = typeof bucket === 'string' ? daysOfBucket(bucket, granularity, range) : undefined;
  }
  if (!days) return undefined;
  // The row's value already passes the filters on its field, so it replaces them.
  const keys = new Set([RANGE_KEY, ...own.map(({ key }) => key)]);
  return [daysFilter(days), ...filters.filter(({ key }) => !keys.has(key)), ...own];
}
