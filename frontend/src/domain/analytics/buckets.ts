// Time buckets as the service names them: by their start in the query's time zone.
import { limits } from '@/form/limits';
import { addDays, type Day, type DayRange, endOfMonth, startOfMonth, startOfWeek } from '@/lib/dates';
import type { Granularity } from './query';

/** The maximum number of buckets in a chart. Of a longer series, it shows the first buckets that have rows. */
export const MAX_BUCKETS = 400;

const perDay: Partial<Record<Granularity, number>> = { second: 86_400, minute: 1_440, hour: 24 };

/** Returns the number of days up to which a range may be grouped by a unit. */
export function mostDays(granularity: Granularity): number {
  return Math.floor(limits.timeGroups / (perDay[granularity] ?? 1));
}

const HOURS = Array.from({ length: 24 }, (_, hour) => String(hour).padStart(2, '0'));

const midnight = (day: Day) => `${day}T00:00:00.000`;

function startOfQuarter(day: Day): Day {
  const month = Number(day.slice(5, 7));
  return `${day.slice(0, 5)}${String(month - ((month - 1) % 3)).padStart(2, '0')}-01`;
}

const starts: Partial<Record<Granularity, (day: Day) => Day>> = {
  day: (day) => day,
  week: startOfWeek,
  month: startOfMonth,
  quarter: startOfQuarter,
  year: (day) => `${day.slice(0, 4)}-01-01`,
};

const lasts: Partial<Record<Granularity, (start: Day) => Day>> = {
  day: (start) => start,
  week: (start) => addDays(start, 6),
  month: endOfMonth,
  quarter: (start) => endOfMonth(addDays(start, 80)),
  year: (start) => `${start.slice(0, 4)}-12-31`,
};

/**
 * Returns all buckets of a range, including empty ones. Returns undefined if there are too many, or if they are shorter
 * than an hour.
 */
export function bucketsOf({ from, to }: DayRange, granularity: Granularity): string[] | undefined {
  const found: string[] = [];
  if (granularity === 'hour') {
    for (let day = from; day <= to; day = addDays(day, 1)) {
      found.push(...HOURS.map((hour) => `${day}T${hour}:00:00.000`));
      if (found.length > MAX_BUCKETS) return undefined;
    }
    return found;
  }
  const start = starts[granularity];
  const last = lasts[granularity];
  if (!start || !last) return undefined;
  for (let day = start(from); day <= to; day = addDays(last(day), 1)) {
    found.push(midnight(day));
    if (found.length > MAX_BUCKETS) return undefined;
  }
  return found;
}

/** Returns the days of a bucket within the range; undefined for buckets shorter than a day. */
export function daysOfBucket(bucket: string, granularity: Granularity, range: DayRange): DayRange | undefined {
  const last = lasts[granularity];
  if (!last) return undefined;
  const from = bucket.slice(0, 10);
  const to = last(from);
  return { from: from < range.from ? range.from : from, to: to > range.to ? range.to : to };
}

const part = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', ...options });
  return (bucket: string) => format.format(new Date(`${bucket.slice(0, 19)}Z`));
};

const monthYear = part({ month: 'short', year: 'numeric' });

function labelsWith(year: Intl.DateTimeFormatOptions): Record<Granularity, (bucket: string) => string> {
  const day: Intl.DateTimeFormatOptions = { ...year, month: 'short', day: 'numeric' };
  const minute: Intl.DateTimeFormatOptions = { ...day, hour: 'numeric', minute: '2-digit' };
  return {
    second: part({ ...minute, second: '2-digit' }),
    minute: part(minute),
    hour: part({ ...day, hour: 'numeric' }),
    day: part(day),
    week: part(day),
    month: monthYear,
    quarter: (bucket) => `Q${Math.ceil(Number(bucket.slice(5, 7)) / 3)} ${bucket.slice(0, 4)}`,
    year: (bucket) => bucket.slice(0, 4),
  };
}

const labels = labelsWith({});
const labelsOfYears = labelsWith({ year: 'numeric' });

/**
 * Formats a bucket as 'Nov 20', 'Nov 2026' or 'Q4 2026'. A week is shown as its Monday. If the buckets of `range`, which
 * are shown together, are of more than one year, each has its year: 'Nov 20, 2026'.
 */
export function formatBucket(bucket: string, granularity: Granularity, range: DayRange): string {
  const first = starts[granularity]?.(range.from) ?? range.from;
  const isOneYear = first.slice(0, 4) === range.to.slice(0, 4);
  return (isOneYear ? labels : labelsOfYears)[granularity](bucket);
}

/** Returns the days from the first to the last of some buckets, in any order; undefined if there are none. */
export function rangeOfBuckets(buckets: readonly string[]): DayRange | undefined {
  const days = buckets.map((bucket) => bucket.slice(0, 10)).toSorted();
  const [from] = days;
  const to = days.at(-1);
  return from === undefined || to === undefined ? undefined : { from, to };
}

/** Formats a bucket for a file, as in mailed reports: '2026-11-20', or '2026-11-20 15:00' if it is shorter than a day. */
export function bucketInFile(bucket: string, granularity: Granularity): string {
  const length = granularity === 'second' ? 19 : granularity === 'minute' || granularity === 'hour' ? 16 : 10;
  return bucket.slice(0, length).replace('T', ' ');
}
