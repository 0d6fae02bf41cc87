import {
  addDays,
  dayOf,
  dayRangeToInstants,
  endOfMonth,
  formatDateTime,
  formatDay,
  isDay,
  LAST_YEAR,
  recentDays,
  startOfMonth,
  type DayRange,
} from '@/lib/dates';

export const DATE_PRESETS = ['today', 'yesterday', 'tomorrow', 'last7days', 'thisMonth', 'past'] as const;
export type DatePreset = (typeof DATE_PRESETS)[number];
/** A preset that names a first and a last day. The past has no first day. */
export type DayPreset = Exclude<DatePreset, 'past'>;
/** The last days up to today, from 2 to 999. Saved reports have any number of days. */
export type LastDays = `last${number}days`;
/** A value whose dates depend on the time at which it is used. */
export type RelativeDate = DatePreset | LastDays;
export type RelativeDays = DayPreset | LastDays;
export const DAY_PRESETS = DATE_PRESETS.filter((preset): preset is DayPreset => preset !== 'past');

const LAST_DAYS = /^last([2-9]|[1-9]\d{1,2})days$/;
/** Earlier than any date in the data. */
const BEGINNING = new Date(0).toISOString();

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

/** After the end of the last year in any time zone. */
const END = Date.UTC(LAST_YEAR + 1, 0, 2);

function isInstant(text: string): boolean {
  return INSTANT.test(text) && Date.parse(text) < END;
}

export function isDatePreset(text: string): text is DatePreset {
  return (DATE_PRESETS as readonly string[]).includes(text);
}

/** Returns the number of days of a value such as 'last30days'; undefined for other values. */
export function lastDaysOf(text: string): number | undefined {
  const [, count] = LAST_DAYS.exec(text) ?? [];
  return count === undefined ? undefined : Number(count);
}

export function isRelativeDays(text: string): text is RelativeDays {
  return (DAY_PRESETS as readonly string[]).includes(text) || lastDaysOf(text) !== undefined;
}

export function isRelativeDate(text: string): text is RelativeDate {
  return isDatePreset(text) || isRelativeDays(text);
}

/** Returns the value for the last `count` days, including today. */
export function lastDays(count: number): RelativeDays {
  return count === 1 ? 'today' : `last${count}days`;
}

/** Whether these are values of a date filter: one of the presets, the last days, two days, or two instants. */
export function isDateRangeValue(
  values: readonly string[],
  presets: readonly DatePreset[] = DATE_PRESETS,
): boolean {
  const [first, second] = values;
  if (values.length === 1) return presets.some((preset) => preset === first) || lastDaysOf(first ?? '') !== undefined;
  if (values.length !== 2) return false;
  return [first, second].every((day) => isDay(day ?? '')) ||
    [first, second].every((instant) => isInstant(instant ?? ''));
}

export function relativeRange(value: RelativeDays, timeZone: string, now: Date = new Date()): DayRange {
  const today = dayOf(now, timeZone);
  switch (value) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'tomorrow':
      return { from: addDays(today, 1), to: addDays(today, 1) };
    case 'thisMonth':
      return { from: startOfMonth(today), to: endOfMonth(today) };
    default:
      return recentDays(lastDaysOf(value) ?? 1, timeZone, now);
  }
}

/**
 * Converts the values of a date filter to instants. Relative values are converted only here. URLs keep them, so that a
 * saved link to 'Today' shows the current day.
 */
export function dateValuesToInstants(
  values: readonly string[],
  timeZone: string,
  now: Date = new Date(),
): [string, string] {
  const [first = '', second = ''] = values;
  if (first === 'past') return [BEGINNING, now.toISOString()];
  if (isRelativeDays(first)) return dayRangeToInstants(relativeRange(first, timeZone, now), timeZone);
  if (isDay(first) && isDay(second)) return dayRangeToInstants({ from: first, to: second }, timeZone);
  return [first, second];
}

/** Formats a range as 'Nov 14, 2026 – Nov 20, 2026'; a shared year is shown once. */
export function formatDateValues(values: readonly string[], timeZone: string): string {
  const [first = '', second = ''] = values;
  if (!isDay(first) || !isDay(second)) {
    return `${formatDateTime(first, timeZone)} – ${formatDateTime(second, timeZone)}`;
  }
  if (first === second) return formatDay(first);
  const sameYear = first.slice(0, 4) === second.slice(0, 4);
  const from = sameYear ? formatDay(first).replace(/, \d+$/, '') : formatDay(first);
  return `${from} – ${formatDay(second)}`;
}
