import { expect, it, vi } from 'vitest';
import { newUuid } from '@/lib/uuid';
import { dateTimeRules, pastedParts, readParts, writeParts } from './date-text';
import { readQuantity, writeQuantity } from './quantity';

it.each([
  ['12', 12],
  [' 0.125 ', 0.125],
  ['-1', -1],
  ['1000000000', 1_000_000_000],
  ['', undefined],
  ['1.2345', undefined],
  ['1,5', undefined],
  ['1e3', undefined],
  ['.5', undefined],
])('reads the amount %j as %s', (text, amount) => {
  expect(readQuantity(text)).toBe(amount);
});

it('writes an amount to the thousandth', () => {
  expect(writeQuantity(0.1 + 0.2)).toBe('0.3');
  expect(writeQuantity(12)).toBe('12');
});

it('keeps a date as far as it is typed', () => {
  for (const text of ['2026-11-20', '-11-', '--05', '2026--']) {
    expect(writeParts(readParts(text))).toBe(text);
  }
  expect(writeParts({ month: '', day: '', year: '' })).toBe('');
});

it.each(['2026-11-05', '11/5/2026', ' 11.05.2026 ', '2026-11-05T10:00:00Z'])(
  'takes %j out of the clipboard',
  (text) => {
    expect(pastedParts(text)).toEqual({ month: '11', day: '05', year: '2026' });
  },
);

it('takes nothing else out of it', () => {
  expect(pastedParts('Nov 5')).toBeUndefined();
});

it('makes UUIDs of version 4, each another one', () => {
  const made = Array.from({ length: 100 }, newUuid);
  for (const uuid of made) {
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  expect(new Set(made).size).toBe(100);
});

it('refuses a time in the past where the field asks for one to come', () => {
  vi.useFakeTimers({ now: new Date('2026-11-20T04:00:00Z') });
  const { validate } = dateTimeRules({ future: { timeZone: 'Asia/Manila', message: 'Too early' } });
  // Noon in Manila.
  expect(validate('2026-11-20T11:59')).toBe('Too early');
  expect(validate('2026-11-20T12:01')).toBe(true);
  expect(validate('2026-02-30T12:01')).toBe('Inputted Date is Invalid');
  expect(validate('')).toBe(true);
  expect(dateTimeRules().validate('2020-01-05T12:00')).toBe(true);
  vi.useRealTimers();
});
