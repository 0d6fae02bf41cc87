/** A calendar day as YYYY-MM-DD, without a time zone. */
export type Day = string;

const DAY_PATTERN = /^(\d{4})-(\d{2})-(\d{2})$/;
/** Accepted years, inclusive. The end of the last one has four digits in every time zone, which the server's filters need. */
export const FIRST_YEAR = 1900;
export const LAST_YEAR = 9998;
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/**
 * Month names as the formatter below writes them, to convert them back to numbers. How `Date` would parse them depends
 * on the JavaScript engine.
 */
const MONTHS = Array.from({ length: 12 }, (_, month) =>
  new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', month: 'short' }).format(Date.UTC(2000, month)),
);

// Cached, because creating an Intl formatter is far slower than using one, and a list formats hundreds of cells.
const formatters = new Map<string, Intl.DateTimeFormat>();

function formatter(timeZone: string): Intl.DateTimeFormat {
  let found = formatters.get(timeZone);
  if (!found) {
    found = new Intl.DateTimeFormat('en-US', {
      // A query of the query lab can name any time zone. `PrivateFrame` checks the organization's.
      timeZone: isTimeZone(timeZone) ? timeZone : 'UTC',
      calendar: 'gregory',
      numberingSystem: 'latn',
      year: 'numeric',
      month: 'short',
      day: 'numeric',
      hour: 'numeric',
      minute: '2-digit',
      second: '2-digit',
      hour12: true,
    });
    formatters.set(timeZone, found);
  }
  return found;
}

export function isTimeZone(timeZone: string): boolean {
  try {
    return Boolean(timeZone) && Boolean(new Intl.DateTimeFormat('en-US', { timeZone }));
  } catch {
    return false;
  }
}

/**
 * Whether the server knows a time zone by this name. Browsers also accept offsets, and names in any case. They list only
 * one of several names, so the others, such as Asia/Kolkata, cannot be looked up.
 */
export function isTimeZoneName(text: string): boolean {
  if (!isTimeZone(text) || /^[+-]/.test(text)) return false;
  const { timeZone } = new Intl.DateTimeFormat('en-US', { timeZone: text }).resolvedOptions();
  return timeZone === text || timeZone.toLowerCase() !== text.toLowerCase();
}

interface DisplayParts {
  year: string;
  month: string;
  day: string;
  hour: string;
  minute: string;
  second: string;
  dayPeriod: string;
}

function displayParts(instant: Date, timeZone: string): DisplayParts {
  const parts: DisplayParts = {
    year: '',
    month: '',
    day: '',
    hour: '',
    minute: '',
    second: '',
    dayPeriod: '',
  };
  for (const { type, value } of formatter(timeZone).formatToParts(instant)) {
    if (type in parts) parts[type as keyof DisplayParts] = value;
  }
  return parts;
}

function toDate(instant: string | number | Date): Date | undefined {
  const date = instant instanceof Date ? instant : new Date(instant);
  return Number.isNaN(date.getTime()) ? undefined : date;
}

/** Formats date and time in the zone: MMM D, YYYY h:mm A. */
export function formatDateTime(instant: string | number | Date, timeZone: string): string {
  const date = toDate(instant);
  if (!date) return '';
  const { month, day, year, hour, minute, dayPeriod } = displayParts(date, timeZone);
  return `${month} ${day}, ${year} ${hour}:${minute} ${dayPeriod}`;
}

/** Formats the date in the zone: MMM D, YYYY. */
export function formatDate(instant: string | number | Date, timeZone: string): string {
  const date = toDate(instant);
  if (!date) return '';
  const { month, day, year } = displayParts(date, timeZone);
  return `${month} ${day}, ${year}`;
}

/** h:mm A */
export function formatTime(instant: string | number | Date, timeZone: string): string {
  const date = toDate(instant);
  if (!date) return '';
  const { hour, minute, dayPeriod } = displayParts(date, timeZone);
  return `${hour}:${minute} ${dayPeriod}`;
}

/** Formats the time, with its date only if the date differs from that of the other instant. */
export function formatTimeBeside(instant: string | number | Date, other: string | number | Date, timeZone: string): string {
  const isSameDay = formatDate(instant, timeZone) === formatDate(other, timeZone);
  return isSameDay ? formatTime(instant, timeZone) : formatDateTime(instant, timeZone);
}

/** Formats a day as 'MMM D, YYYY', independent of time zones. */
export function formatDay(day: Day): string {
  return isDay(day) ? formatDate(`${day}T00:00:00Z`, 'UTC') : '';
}

const named = new Intl.RelativeTimeFormat('en', { numeric: 'auto' });
const counted = new Intl.RelativeTimeFormat('en');
const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * DAY],
  ['month', 30 * DAY],
  ['week', 7 * DAY],
  ['day', DAY],
  ['hour', HOUR],
  ['minute', MINUTE],
];

/**
 * Formats an instant relative to `now`: '3 minutes ago', 'in 2 hours', 'now'. Days are calendar days of the zone, so that
 * 'yesterday' is the day before today. Longer units are counted, since 10 days ago need not be in 'last week'.
 */
export function formatAgo(instant: string | number | Date, timeZone: string, now: Date = new Date()): string {
  const date = toDate(instant);
  if (!date) return '';
  const distance = date.getTime() - now.getTime();
  for (const [unit, size] of units) {
    if (Math.abs(distance) < size) continue;
    if (unit === 'day') return named.format(daysBetween(dayOf(now, timeZone), dayOf(date, timeZone)), unit);
    return counted.format(Math.trunc(distance / size), unit);
  }
  return named.format(0, 'second');
}

/** Whether this is a day of the calendar in one of the accepted years. */
export function isDay(text: string): boolean {
  const match = DAY_PATTERN.exec(text);
  if (!match) return false;
  const [, year, month, day] = match.map(Number) as [number, number, number, number];
  const date = new Date(Date.UTC(year, month - 1, day));
  const isReal = date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal && year >= FIRST_YEAR && year <= LAST_YEAR;
}

/** The calendar day of an instant in a zone. */
export function dayOf(instant: Date, timeZone: string): Day {
  const wall = new Date(instant.getTime() + offsetAt(instant.getTime(), timeZone));
  return wall.toISOString().slice(0, 10);
}

/** Returns the day `count` days later, at most 9999-12-31: a later one has more digits than a day can have. */
export function addDays(day: Day, count: number): Day {
  const later = Date.parse(`${day}T00:00:00Z`) + count * DAY;
  return new Date(Math.min(later, Date.UTC(9999, 11, 31))).toISOString().slice(0, 10);
}

function daysBetween(from: Day, to: Day): number {
  return (Date.parse(to) - Date.parse(from)) / DAY;
}

/** Returns the Monday of the week of a day. */
export function startOfWeek(day: Day): Day {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay();
  return addDays(day, -((weekday + 6) % 7));
}

export function startOfMonth(day: Day): Day {
  return `${day.slice(0, 8)}01`;
}

export function endOfMonth(day: Day): Day {
  const [year, month] = day.split('-').map(Number) as [number, number];
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10);
}

export interface DayRange {
  from: Day;
  to: Day;
}

/** Returns the number of days of a range, including its first and its last day. */
export function daysIn({ from, to }: DayRange): number {
  return daysBetween(from, to) + 1;
}

/** Returns the last `count` days, including today. */
export function recentDays(count: number, timeZone: string, now: Date = new Date()): DayRange {
  const to = dayOf(now, timeZone);
  return { from: addDays(to, 1 - count), to };
}

function offsetAt(time: number, timeZone: string): number {
  const { year, month, day, hour, minute, second, dayPeriod } = displayParts(
    new Date(time),
    timeZone,
  );
  const hours = (Number(hour) % 12) + (dayPeriod === 'PM' ? 12 : 0);
  const wall = Date.UTC(
    Number(year),
    MONTHS.indexOf(month),
    Number(day),
    hours,
    Number(minute),
    Number(second),
  );
  return wall - Math.floor(time / 1000) * 1000;
}

/**
 * Converts a local time, given as if it were UTC, to an instant. Of a time that occurs twice, it returns the first
 * instant. A time that a clock change skips is moved on by as much as the clocks are. The server reads the end of a pause
 * of imports the same way.
 */
function instantOf(wall: number, timeZone: string): number {
  // A day apart on either side, so that one offset is from before a clock change and the other from after it.
  const offsets = [offsetAt(wall - DAY, timeZone), offsetAt(wall + DAY, timeZone)];
  const first = wall - Math.max(...offsets);
  const isReached = first + offsetAt(first, timeZone) >= wall;
  return isReached ? first : wall - Math.min(...offsets);
}

/** The first instant of a day in a zone. It is later than 00:00 if clocks skip that. */
export function startOfDay(day: Day, timeZone: string): Date {
  return new Date(instantOf(Date.parse(`${day}T00:00:00Z`), timeZone));
}

/** Returns the local time in a zone as YYYY-MM-DDTHH:mm. */
export function toWallTime(instant: string | number | Date, timeZone: string): string {
  const date = toDate(instant);
  if (!date) return '';
  return new Date(date.getTime() + offsetAt(date.getTime(), timeZone)).toISOString().slice(0, 16);
}

/** Converts YYYY-MM-DDTHH:mm, as local time in a zone, to a UTC timestamp; undefined if invalid. */
export function fromWallTime(text: string, timeZone: string): string | undefined {
  const [day = '', time = ''] = text.split('T');
  if (!isDay(day) || !/^([01]\d|2[0-3]):[0-5]\d$/.test(time)) return undefined;
  return new Date(instantOf(Date.parse(`${text}:00Z`), timeZone)).toISOString();
}

const USUAL_START = '09:00';

/** Returns the next weekday (Monday to Friday) at the time of day of `sameTimeAs` or at 09:00, as YYYY-MM-DDTHH:mm. */
export function nextWorkingDay(
  timeZone: string,
  sameTimeAs?: string,
  now: Date = new Date(),
): string {
  const [, time = USUAL_START] = sameTimeAs ? toWallTime(sameTimeAs, timeZone).split('T') : [];
  const tomorrow = addDays(dayOf(now, timeZone), 1);
  const fromMonday = (new Date(`${tomorrow}T00:00:00Z`).getUTCDay() + 6) % 7;
  return `${addDays(tomorrow, fromMonday > 4 ? 7 - fromMonday : 0)}T${time}`;
}

/** Converts days in a zone to two instants: the start, inclusive, and the end, exclusive. */
export function dayRangeToInstants(range: DayRange, timeZone: string): [string, string] {
  const [first, last] = range.from <= range.to ? [range.from, range.to] : [range.to, range.from];
  return [
    startOfDay(first, timeZone).toISOString(),
    startOfDay(addDays(last, 1), timeZone).toISOString(),
  ];
}

/** Formats a duration: '42 s', '3 min 5 s', '1 h 4 min'. */
export function formatElapsed(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 ? `${minutes} min ${seconds % 60} s` : `${minutes} min`;
  return minutes % 60
    ? `${Math.floor(minutes / 60)} h ${minutes % 60} min`
    : `${Math.floor(minutes / 60)} h`;
}
