import { fromWallTime, isDay, toWallTime } from '@/lib/dates';

/** The text of each date segment, exactly as typed. */
export interface DateParts {
  month: string;
  day: string;
  year: string;
}

/** Fixed to the letter by the specification, so not translated. */
export const INVALID_DATE = 'Inputted Date is Invalid';

/** Splits YYYY-MM-DD; any part may be missing. */
export function readParts(text: string): DateParts {
  const [year = '', month = '', day = ''] = text.split('-');
  return { month, day, year };
}

/** Joins the parts. If all are empty, returns an empty string, so that a missing date is not reported as invalid. */
export function writeParts({ month, day, year }: DateParts): string {
  return month || day || year ? `${year}-${month}-${day}` : '';
}

const pad = (text: string, length: number) => (text ? text.padStart(length, '0') : '');

/** Pads month and day to two digits and the year to four. */
export function padParts({ month, day, year }: DateParts): DateParts {
  return { month: pad(month, 2), day: pad(day, 2), year: pad(year, 4) };
}

/** Parses a pasted date: YYYY-MM-DD, or month, day and year as in import files. */
export function pastedParts(text: string): DateParts | undefined {
  const [, year, month, day] = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text) ?? [];
  if (year && month && day) return padParts({ year, month, day });
  const [, first, second, last] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})/.exec(text) ?? [];
  if (first && second && last) return padParts({ month: first, day: second, year: last });
  return undefined;
}

/** Joins a date and a time to YYYY-MM-DDTHH:mm; either half may be missing or invalid. */
export function joinDateTime(date: string, time: string): string {
  return date || time ? `${date}T${time}` : '';
}

export function splitDateTime(text: string): [date: string, time: string] {
  const [date = '', time = ''] = text.split('T');
  return [date, time];
}

interface DateTimeRules {
  optional?: boolean;
  /** Message for a time in the past; without it, past times are accepted. */
  future?: { timeZone: string; message: string };
}

/** Rules for a text field with a date and time in the organization's time zone. */
export function dateTimeRules({ optional = false, future }: DateTimeRules = {}) {
  return {
    required: !optional,
    validate: (text: string) => {
      if (text === '') return true;
      const [date, time] = splitDateTime(text);
      if (!isDay(date) || time === '') return INVALID_DATE;
      if (!future) return true;
      const instant = fromWallTime(text, future.timeZone);
      return (instant !== undefined && Date.parse(instant) > Date.now()) || future.message;
    },
  };
}

/**
 * Returns the instant of a date and time as typed. If they were not edited, returns the stored instant, because the
 * inputs drop its seconds.
 */
export function toInstant(
  text: string,
  timeZone: string,
  stored: string | null | undefined,
): string | null {
  if (stored && toWallTime(stored, timeZone) === text) return stored;
  return fromWallTime(text, timeZone) ?? null;
}

/** Converts a date and time as typed to another time zone. Returns one that is incomplete or invalid unchanged. */
export function convertDateTime(text: string, from: string, to: string, stored?: string | null): string {
  const instant = toInstant(text, from, stored);
  return instant ? toWallTime(instant, to) : text;
}
