import { fromWallTime, isDay } from '@/lib/dates';

/** What was typed into the segments of a date, each as it stands there. */
export interface DateParts {
  month: string;
  day: string;
  year: string;
}

/** Fixed letter for letter, so no matter of translation. */
export const INVALID_DATE = 'Inputted Date is Invalid';

/** The parts of YYYY-MM-DD, of which any may still be missing. */
export function readParts(text: string): DateParts {
  const [year = '', month = '', day = ''] = text.split('-');
  return { month, day, year };
}

/** Nothing at all for no parts, so that an empty date is empty and not a wrong one. */
export function writeParts({ month, day, year }: DateParts): string {
  return month || day || year ? `${year}-${month}-${day}` : '';
}

const pad = (text: string, length: number) => (text ? text.padStart(length, '0') : '');

/** Month and day with two digits, the year with four. */
export function padParts({ month, day, year }: DateParts): DateParts {
  return { month: pad(month, 2), day: pad(day, 2), year: pad(year, 4) };
}

/** A pasted date, as ours or as a file has it. */
export function pastedParts(text: string): DateParts | undefined {
  const [, year, month, day] = /^\s*(\d{4})-(\d{1,2})-(\d{1,2})/.exec(text) ?? [];
  if (year && month && day) return padParts({ year, month, day });
  const [, first, second, last] = /^\s*(\d{1,2})[/.-](\d{1,2})[/.-](\d{4})/.exec(text) ?? [];
  if (first && second && last) return padParts({ month: first, day: second, year: last });
  return undefined;
}

/** YYYY-MM-DDTHH:mm, of which either side may be missing or wrong. */
export function joinDateTime(date: string, time: string): string {
  return date || time ? `${date}T${time}` : '';
}

export function splitDateTime(text: string): [date: string, time: string] {
  const [date = '', time = ''] = text.split('T');
  return [date, time];
}

interface DateTimeRules {
  optional?: boolean;
  /** Refuses what lies in the past, by a clock of the zone, with the message. */
  future?: { timeZone: string; message: string };
}

/** Rules of a field of text that holds a date and a time of the organization's zone. */
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
