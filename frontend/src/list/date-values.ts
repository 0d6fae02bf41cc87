import {
  addDays,
  dayOf,
  dayRangeToInstants,
  endOfMonth,
  formatDateTime,
  formatDay,
  isDay,
  recentDays,
  startOfMonth,
  type DayRange,
} from '@/lib/dates';

export const DATE_PRESETS = ['today', 'yesterday', 'tomorrow', 'last7days', 'thisMonth', 'past'] as const;
export type DatePreset = (typeof DATE_PRESETS)[number];
/** A preset that names a first and a last day. The past has no first day. */
export type DayPreset = Exclude<DatePreset, 'past'>;
export const DAY_PRESETS = DATE_PRESETS.filter((preset): preset is DayPreset => preset !== 'past');

/** Earlier than any date in the data. */
const BEGINNING = new Date(0).toISOString();

const INSTANT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/;

function isInstant(text: string): boolean {
  return INSTANT.test(text) && !Number.isNaN(Date.parse(text));
}

export function isDatePreset(text: string): text is DatePreset {
  return (DATE_PRESETS as readonly string[]).includes(text);
}

export function isDayPreset(text: string): text is DayPreset {
  return (DAY_PRESETS as readonly string[]).includes(text);
}

/** Whether these are values of a date filter: the name of one of the presets, two days, or two instants. */
export function isDateRangeValue(
  values: readonly string[],
  presets: readonly DatePreset[] = DATE_PRESETS,
): boolean {
  const [first, second] = values;
  if (values.length === 1) return presets.some((preset) => preset === first);
  if (values.length !== 2) return false;
  return [first, second].every((day) => isDay(day ?? '')) ||
    [first, second].every((instant) => isInstant(instant ?? ''));
}

export function presetRange(preset: DayPreset, timeZone: string, now: Date = new Date()): DayRange {
  const today = dayOf(now, timeZone);
  switch (preset) {
    case 'today':
      return { from: today, to: today };
    case 'yesterday':
      return { from: addDays(today, -1), to: addDays(today, -1) };
    case 'tomorrow':
      return { from: addDays(today, 1), to: addDays(today, 1) };
    case 'last7days':
      return recentDays(7, timeZone, now);
    case 'thisMonth':
      return { from: startOfMonth(today), to: endOfMonth(today) };
  }
}

/**
 * Converts the values of a date filter to instants. Presets are converted only here. URLs keep the name of a preset, so
 * that a saved link to 'Today' shows the current day.
 */
export function dateValuesToInstants(
  values: readonly string[],
  timeZone: string,
  now: Date = new Date(),
): [string, string] {
  const [first = '', second = ''] = values;
  if (first === 'past') return [BEGINNING, now.toISOString()];
  if (isDayPreset(first)) return dayRangeToInstants(presetRange(first, timeZone, now), timeZone);
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
