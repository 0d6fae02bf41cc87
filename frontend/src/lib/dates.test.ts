import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  addDays,
  dayOf,
  dayRangeToInstants,
  endOfMonth,
  formatAgo,
  formatDate,
  formatDateTime,
  formatDay,
  formatElapsed,
  formatTime,
  formatTimeBeside,
  fromWallTime,
  isDay,
  isTimeZone,
  isTimeZoneName,
  nextWorkingDay,
  recentDays,
  startOfDay,
  startOfMonth,
  startOfWeek,
  toWallTime,
} from './dates';

const manila = 'Asia/Manila';

describe('display', () => {
  it('is MMM D, YYYY h:mm A in the zone of the organization', () => {
    expect(formatDateTime('2026-11-20T01:30:00Z', manila)).toBe('Nov 20, 2026 9:30 AM');
    expect(formatDateTime('2026-11-20T16:05:00Z', manila)).toBe('Nov 21, 2026 12:05 AM');
    expect(formatDateTime('2026-11-20T04:00:00Z', manila)).toBe('Nov 20, 2026 12:00 PM');
  });

  it('gives date and time apart', () => {
    expect(formatDate('2026-11-20T16:05:00Z', manila)).toBe('Nov 21, 2026');
    expect(formatTime('2026-11-20T16:05:00Z', manila)).toBe('12:05 AM');
    expect(formatDay('2026-11-05')).toBe('Nov 5, 2026');
  });

  it('gives a time its date beside one of another day', () => {
    expect(formatTimeBeside('2026-11-20T16:05:00Z', '2026-11-20T12:05:00Z', 'UTC')).toBe('4:05 PM');
    expect(formatTimeBeside('2026-11-20T16:05:00Z', '2026-11-20T12:05:00Z', manila)).toBe('Nov 21, 2026 12:05 AM');
  });

  it('is empty for what is no date, and falls back to UTC for what is no zone', () => {
    expect(formatDateTime('soon', manila)).toBe('');
    expect(formatDay('2026-02-30')).toBe('');
    expect(formatTime('2026-11-20T16:05:00Z', 'Mars/Olympus')).toBe('4:05 PM');
    expect(isTimeZone('Mars/Olympus')).toBe(false);
  });

  it.each([
    ['Asia/Manila', true],
    ['Asia/Kolkata', true],
    ['UTC', true],
    ['asia/manila', false],
    ['utc', false],
    ['+08:00', false],
    ['Mars/Olympus', false],
    ['', false],
  ])('knows whether %s is the name of a time zone', (text, isName) => {
    expect(isTimeZoneName(text)).toBe(isName);
  });

  it('says how long ago', () => {
    const ago = (instant: string) => formatAgo(instant, 'Asia/Manila', new Date('2026-11-20T12:00:00Z'));
    expect(ago('2026-11-20T11:57:00Z')).toBe('3 minutes ago');
    expect(ago('2026-11-20T10:59:00Z')).toBe('1 hour ago');
    expect(ago('2026-11-20T14:00:00Z')).toBe('in 2 hours');
    expect(ago('2026-11-19T11:00:00Z')).toBe('yesterday');
    expect(ago('2026-11-20T11:59:50Z')).toBe('now');
    expect(ago('')).toBe('');
  });

  it('names days and longer times as they are in the zone', () => {
    const ago = (instant: string) => formatAgo(instant, 'Asia/Manila', new Date('2026-11-20T00:00:00Z'));
    // In Manila it is Friday, 8:00 AM.
    expect(ago('2026-11-18T16:00:00Z')).toBe('yesterday');
    expect(ago('2026-11-18T15:59:00Z')).toBe('2 days ago');
    expect(ago('2026-11-21T23:00:00Z')).toBe('in 2 days');
    expect(ago('2026-11-07T00:00:00Z')).toBe('1 week ago');
    expect(ago('2026-09-22T00:00:00Z')).toBe('1 month ago');
    expect(ago('2024-12-20T00:00:00Z')).toBe('1 year ago');
  });

  it.each([
    [0, '0 s'],
    [41_000, '41 s'],
    [185_000, '3 min 5 s'],
    [120_000, '2 min'],
    [3_840_000, '1 h 4 min'],
    [7_200_000, '2 h'],
    [-5, '0 s'],
  ])('shows %i ms as %s', (milliseconds, text) => {
    expect(formatElapsed(milliseconds)).toBe(text);
  });
});

describe('days', () => {
  it('knows real days only', () => {
    for (const text of ['2024-02-29', '1900-01-01', '9998-12-31']) expect(isDay(text)).toBe(true);
    for (const text of ['2026-02-29', '2026-13-01', '26-1-1', '', '2026-11-20T00:00', '0001-01-01', '1899-12-31', '9999-01-01', '9999-12-31']) {
      expect(isDay(text)).toBe(false);
    }
  });

  it('counts recent days with today among them', () => {
    const now = new Date('2026-11-20T17:00:00Z');
    expect(recentDays(7, manila, now)).toEqual({ from: '2026-11-15', to: '2026-11-21' });
    expect(recentDays(1, 'UTC', now)).toEqual({ from: '2026-11-20', to: '2026-11-20' });
  });

  it('stays a day at the end of the calendar', () => {
    expect(addDays('9998-12-31', 1)).toBe('9999-01-01');
    expect(addDays('9999-12-31', 1)).toBe('9999-12-31');
  });

  it('starts weeks on Monday', () => {
    expect(startOfWeek('2026-11-16')).toBe('2026-11-16');
    expect(startOfWeek('2026-11-22')).toBe('2026-11-16');
  });

  it('knows the ends of a month', () => {
    expect(startOfMonth('2026-02-14')).toBe('2026-02-01');
    expect(endOfMonth('2028-02-14')).toBe('2028-02-29');
    expect(endOfMonth('2026-12-01')).toBe('2026-12-31');
  });

  it('makes the last days instants that the server reads', () => {
    const last = { from: '9998-12-31', to: '9998-12-31' };
    expect(dayRangeToInstants(last, 'Pacific/Kiritimati')[1]).toBe('9998-12-31T10:00:00.000Z');
    expect(dayRangeToInstants(last, 'Etc/GMT+12')[1]).toBe('9999-01-01T12:00:00.000Z');
  });

  it('makes whole days two instants, the last one excluded', () => {
    expect(dayRangeToInstants({ from: '2026-11-14', to: '2026-11-20' }, manila)).toEqual([
      '2026-11-13T16:00:00.000Z',
      '2026-11-20T16:00:00.000Z',
    ]);
    expect(dayRangeToInstants({ from: '2026-11-20', to: '2026-11-14' }, 'UTC')).toEqual([
      '2026-11-14T00:00:00.000Z',
      '2026-11-21T00:00:00.000Z',
    ]);
  });

  it('keeps to the day where clocks change', () => {
    expect(startOfDay('2026-03-29', 'Europe/Berlin').toISOString()).toBe('2026-03-28T23:00:00.000Z');
    expect(startOfDay('2026-03-30', 'Europe/Berlin').toISOString()).toBe('2026-03-29T22:00:00.000Z');
    expect(startOfDay('2026-11-01', 'America/New_York').toISOString()).toBe(
      '2026-11-01T04:00:00.000Z',
    );
  });

  it.each([
    // Clocks go from 12:00 AM to 1:00 AM, so the day starts at 1:00 AM.
    ['2026-09-06', 'America/Santiago', '2026-09-06T04:00:00.000Z'],
    ['2026-03-08', 'America/Havana', '2026-03-08T05:00:00.000Z'],
    ['2026-03-29', 'Atlantic/Azores', '2026-03-29T01:00:00.000Z'],
    // Clocks go back to 11:00 PM at the end of the day before, whose last hour occurs twice.
    ['2026-04-05', 'America/Santiago', '2026-04-05T04:00:00.000Z'],
    // Clocks go from 1:00 AM back to 12:00 AM, which occurs twice.
    ['2026-11-01', 'America/Havana', '2026-11-01T04:00:00.000Z'],
    ['2026-10-25', 'Atlantic/Azores', '2026-10-25T00:00:00.000Z'],
  ])('starts %s in %s at %s, where clocks change at midnight', (day, zone, start) => {
    expect(startOfDay(day, zone).toISOString()).toBe(start);
    expect(dayOf(new Date(Date.parse(start) - 1), zone)).toBe(addDays(day, -1));
  });

  it('finds the day of its own start again in any zone', () => {
    const usual = [manila, 'UTC', 'Europe/Berlin', 'America/New_York', 'Asia/Kolkata'];
    const zones = [...usual, 'America/Santiago', 'America/Havana', 'Atlantic/Azores'];
    const shifts = fc.integer({ min: -3000, max: 6000 });
    fc.assert(
      fc.property(fc.constantFrom(...zones), shifts, (zone, shift) => {
        const day = addDays('2026-01-01', shift);
        const start = startOfDay(day, zone);
        expect(dayOf(start, zone)).toBe(day);
        expect(dayOf(new Date(start.getTime() - 1), zone)).toBe(addDays(day, -1));
      }),
      { numRuns: 200 },
    );
  });
});

describe('a clock on the wall', () => {
  it.each([
    ['2026-11-20T01:30:00.000Z', 'Asia/Manila', '2026-11-20T09:30'],
    ['2026-11-19T16:00:00.000Z', 'Asia/Manila', '2026-11-20T00:00'],
    ['2026-07-01T10:05:00.000Z', 'Europe/Berlin', '2026-07-01T12:05'],
    ['2026-12-01T10:05:00.000Z', 'Europe/Berlin', '2026-12-01T11:05'],
    ['2026-03-29T01:30:00.000Z', 'Europe/Berlin', '2026-03-29T03:30'],
  ])('shows %s in %s as %s, and back', (instant, zone, wall) => {
    expect(toWallTime(instant, zone)).toBe(wall);
    expect(fromWallTime(wall, zone)).toBe(instant);
  });

  it.each([
    // This time is skipped, so it is moved on by as much as the clocks are.
    ['2026-09-06T00:30', 'America/Santiago', '2026-09-06T04:30:00.000Z'],
    ['2026-03-29T02:30', 'Europe/Berlin', '2026-03-29T01:30:00.000Z'],
    // Clocks are moved on by half an hour.
    ['2026-10-04T02:15', 'Australia/Lord_Howe', '2026-10-03T15:45:00.000Z'],
    // This time occurs twice, and the first is meant.
    ['2026-10-25T02:30', 'Europe/Berlin', '2026-10-25T00:30:00.000Z'],
    ['2026-11-01T01:30', 'America/New_York', '2026-11-01T05:30:00.000Z'],
  ])('reads %s in %s as %s, where a clock change skips or repeats it', (wall, zone, instant) => {
    expect(fromWallTime(wall, zone)).toBe(instant);
  });

  it.each(['', '2026-11-20', 'T10:00', '2026-02-30T10:00', '2026-11-20T24:00', '2026-11-20T9:30'])(
    'shows no %j',
    (text) => {
      expect(fromWallTime(text, 'Asia/Manila')).toBeUndefined();
    },
  );

  it('shows nothing for no instant', () => {
    expect(toWallTime('soon', 'UTC')).toBe('');
  });
});

it.each([
  ['2026-11-20T04:00:00Z', '2026-11-23T09:00'],
  ['2026-11-21T04:00:00Z', '2026-11-23T09:00'],
  // In Manila it is already the next day.
  ['2026-11-22T17:00:00Z', '2026-11-24T09:00'],
  ['2026-11-24T04:00:00Z', '2026-11-25T09:00'],
])('plans the next working day after %s for %s', (now, day) => {
  expect(nextWorkingDay(manila, undefined, new Date(now))).toBe(day);
});

it('plans the next working day at the same time of day', () => {
  const now = new Date('2026-11-20T04:00:00Z');
  expect(nextWorkingDay(manila, '2026-11-19T06:30:00Z', now)).toBe('2026-11-23T14:30');
});

it('reads a day of every month as the calendar has it', () => {
  for (let month = 1; month <= 12; month += 1) {
    const day = `2026-${String(month).padStart(2, '0')}-15`;
    expect(dayOf(new Date(`${day}T12:00:00Z`), manila)).toBe(day);
  }
});
