import {
  daysFilter,
  deliveriesAddress,
  DISPATCH,
  equalsFilter,
} from '@/domain/analytics/delivery-filters';
import {
  type AnalyticsQuery,
  type AnalyticsResult,
  type AnalyticsRow,
  bucketKey,
  numberOf,
} from '@/domain/analytics/query';
import { addDays, type Day, type DayRange, recentDays } from '@/lib/dates';
import { percent } from '@/lib/numbers';
import type { Filter } from '@/list/filters-codec';
import { STATUS_ORDER } from '@/ui/charts/chart-data';
import type { DeliveryStatus } from '@/ui/status-chip';

const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const UNKNOWN = '–';

/** Formats a percentage as '94.2%'. */
export function formatPercent(value: number | null): string {
  return value === null ? UNKNOWN : `${decimal.format(value)}%`;
}

export function formatShare(part: number, whole: number): string {
  return `${percent(part, whole)}%`;
}

/** Formats a change as '+4%' or '−12%'; a dash if there is nothing to compare with. */
export function formatChange(now: number | null, before: number | null): string {
  if (now === null || before === null || before === 0) return UNKNOWN;
  const change = Math.round((now / before - 1) * 100);
  return change > 0 ? `+${change}%` : `${change}%`.replace('-', '−');
}

/** Formats the difference between two rates in percentage points: '+1.2 pts'. */
export function formatPoints(now: number | null, before: number | null): string {
  if (now === null || before === null) return UNKNOWN;
  const change = Math.round((now - before) * 10) / 10;
  const text = decimal.format(Math.abs(change));
  return `${change > 0 ? '+' : change < 0 ? '−' : '±'}${text} pts`;
}

// The queries of the dashboard, and calculations with their results.


export const COUNT = 'Delivery.count';
export const STATUS = 'Delivery.deliverystatus';
export const REASON = 'Delivery.outcomeReason';
export const FAILED = ['Undelivered', 'Rejected'] as const satisfies readonly DeliveryStatus[];
const ON_TIME = 'Delivery.onTimeRate';
const FIRST_ATTEMPT = 'Delivery.firstAttemptRate';
const DAYS = 7;

export interface Periods {
  today: Day;
  /** The last seven days, including today. */
  week: DayRange;
  /** The seven days before `week`. */
  before: DayRange;
}

export function periodsOf(now: Date, timeZone: string): Periods {
  const week = recentDays(DAYS, timeZone, now);
  return { today: week.to, week, before: { from: addDays(week.from, -DAYS), to: addDays(week.from, -1) } };
}

const within = ({ from, to }: DayRange) => ({ dimension: DISPATCH, dateRange: [from, to] as [string, string] });

export function dashboardQueries({ today, week, before }: Periods, timezone: string): AnalyticsQuery[] {
  const rates = (range: DayRange): AnalyticsQuery => ({
    measures: [ON_TIME, FIRST_ATTEMPT],
    timeDimensions: [within(range)],
    timezone,
  });
  return [
    {
      measures: [COUNT],
      dimensions: [STATUS],
      timeDimensions: [{ ...within({ from: before.from, to: week.to }), granularity: 'day' }],
      timezone,
    },
    {
      measures: [COUNT],
      dimensions: [REASON, STATUS],
      timeDimensions: [within(week)],
      filters: [{ member: STATUS, operator: 'equals', values: FAILED }],
      timezone,
    },
    rates({ from: today, to: today }),
    rates(week),
    rates(before),
  ];
}

export interface Rates {
  onTime: number | null;
  firstAttempt: number | null;
}

export interface Figures {
  /** Counts the deliveries of a range that lies within `week` and `before`. */
  countOf: (range: DayRange, status?: DeliveryStatus) => number;
  /** Rows of the last seven days. */
  weekRows: readonly AnalyticsRow[];
  failures: readonly AnalyticsRow[];
  rates: { today: Rates; week: Rates; before: Rates };
}

function ratesOf(result: AnalyticsResult | undefined): Rates {
  const row = result?.data[0];
  return { onTime: numberOf(row?.[ON_TIME]), firstAttempt: numberOf(row?.[FIRST_ATTEMPT]) };
}

const DAY_KEY = bucketKey({ dimension: DISPATCH, granularity: 'day' });
const dayOfRow = (row: AnalyticsRow) => String(row[DAY_KEY] ?? '').slice(0, 10);

export function figuresOf(results: readonly AnalyticsResult[], { week }: Periods): Figures {
  const [byDay, byReason, today, ofWeek, before] = results;
  const rows = byDay?.data ?? [];
  return {
    countOf: ({ from, to }, status) =>
      rows
        .filter((row) => dayOfRow(row) >= from && dayOfRow(row) <= to && (!status || row[STATUS] === status))
        .reduce((sum, row) => sum + (numberOf(row[COUNT]) ?? 0), 0),
    weekRows: rows.filter((row) => dayOfRow(row) >= week.from),
    failures: byReason?.data ?? [],
    rates: { today: ratesOf(today), week: ratesOf(ofWeek), before: ratesOf(before) },
  };
}

/** Number of deliveries with an outcome. */
export function processedOf({ countOf }: Figures, range: DayRange): number {
  return countOf(range) - countOf(range, 'Pending');
}

const PROCESSED: Filter = {
  key: 'deliverystatus',
  operator: '!equals',
  values: [{ label: 'Pending', value: 'Pending' }],
};

/** The address of the list with the deliveries of some days, optionally by status. */
export function daysAddress(range: DayRange, ...statuses: string[]): string {
  const some = statuses.length > 0 ? [equalsFilter('deliverystatus', ...statuses)] : [];
  return deliveriesAddress([daysFilter(range), ...some]);
}

export function processedAddress(range: DayRange): string {
  return deliveriesAddress([daysFilter(range), PROCESSED]);
}

export function reasonAddress(range: DayRange, code: string, label: string, statuses: readonly string[]): string {
  return deliveriesAddress([
    daysFilter(range),
    { key: 'outcomeReason', operator: 'equals', values: [{ label, value: code }] },
    equalsFilter('deliverystatus', ...statuses),
  ]);
}

export interface FailureReason {
  code: string;
  label: string;
  count: number;
  /** Statuses of the failed deliveries that have this reason. */
  statuses: readonly DeliveryStatus[];
}

/** Reasons sorted by number of failed deliveries. */
export function failureReasons(
  rows: readonly AnalyticsRow[],
  labelOf: (code: string, status: DeliveryStatus) => string,
): FailureReason[] {
  const found = new Map<string, FailureReason>();
  for (const row of rows) {
    const code = row[REASON];
    const status = STATUS_ORDER.find((entry) => entry === row[STATUS]);
    if (typeof code !== 'string' || code === '' || !status) continue;
    const known = found.get(code);
    const count = numberOf(row[COUNT]) ?? 0;
    found.set(code, {
      code,
      label: known?.label ?? labelOf(code, status),
      count: count + (known?.count ?? 0),
      statuses: [...(known?.statuses ?? []), status],
    });
  }
  return [...found.values()].toSorted((one, other) => other.count - one.count || one.code.localeCompare(other.code));
}
