import i18next from 'i18next';
import { describe, expect, it } from 'vitest';
import type { TextOf } from '@/i18n/texts';
import { boundsText, presentText, settingText } from './setting-values';

const textOf: TextOf = (key, values) => i18next.t(key, values);
const plain = { isSecret: false, options: ['mdy', 'dmy'] };
const shown = (type: Parameters<typeof settingText>[0]['type'], value: string, id = 'any') =>
  settingText({ ...plain, id, type }, value, textOf);

describe('a value', () => {
  it.each([
    ['date', '2026-10-31', 'Oct 31, 2026'],
    ['dateTime', '2026-10-31T17:05', 'Oct 31, 2026 5:05 PM'],
    ['time', '06:30', '6:30 AM'],
    ['boolean', 'true', 'Yes'],
    ['boolean', 'false', 'No'],
    ['number', '12000', '12,000'],
    ['text', 'mdy', 'Month, day, year'],
    ['text', 'photo', 'photo'],
    ['email', 'office@hlg.example', 'office@hlg.example'],
  ] as const)('of type %s: %s is shown as %s', (type, value, text) => {
    expect(shown(type, value)).toBe(text);
  });

  it.each([
    ['driver-online-seconds', '120', '120 seconds'],
    ['driver-positions-keep-days', '1', '1 day'],
    ['delivery-max-attachment-size', '10', '10 MB'],
    ['delivery-max-attempts', '3', '3'],
  ])('of %s has the unit that its id ends with', (id, value, text) => {
    expect(shown('number', value, id)).toBe(text);
  });

  it.each([
    ['date', 'soon'],
    ['dateTime', '2026-10-31'],
    ['time', 'noon'],
    ['number', 'many'],
    ['number', ''],
    ['boolean', 'perhaps'],
  ] as const)('of type %s that is none is shown as it is: %j', (type, value) => {
    expect(shown(type, value)).toBe(value);
  });

  it('that names proofs has their names', () => {
    expect(shown('text', 'signature,photo', 'delivery-proof')).toBe('Signature, Photo');
    expect(shown('text', 'none', 'delivery-proof')).toBe('None');
  });

  it('that says what becomes of rows with unknown drivers is a word of the screen', () => {
    const options = ['keep', 'refuse'];
    const texts = options.map((value) => settingText({ id: 'any', type: 'text', isSecret: false, options }, value, textOf));
    expect(texts).toEqual(['Keep', 'Refuse']);
  });

  it('that is secret is not shown', () => {
    expect(settingText({ id: 'key', type: 'password', isSecret: true, options: [] }, 'hunter2', textOf)).toBe(
      'Hidden',
    );
  });
});

it.each([
  [{ min: '1', max: '20' }, 'number', '1 to 20 seconds'],
  [{ min: '30', max: null }, 'number', 'At least 30 seconds'],
  [{ min: null, max: '1' }, 'number', 'At most 1 second'],
  [{ min: '1', max: '100' }, 'text', '1 to 100 characters'],
  [{ min: '2000-01-01', max: null }, 'date', 'Jan 1, 2000 or later'],
  [{ min: '2000-01-01T00:00', max: null }, 'dateTime', 'Jan 1, 2000 12:00 AM or later'],
  [{ min: null, max: '200' }, 'url', 'At most 200 characters'],
  [{ min: null, max: null }, 'text', undefined],
] as const)('the bounds %j of a %s are told: %s', (bounds, type, text) => {
  expect(boundsText({ ...plain, id: 'driver-online-seconds', type, ...bounds }, textOf)).toBe(text);
});

it('a pause of imports that is over, or never was, is none', () => {
  const pause = { ...plain, id: 'import-paused-until', type: 'dateTime' } as const;
  const now = Date.parse('2026-11-20T05:00:00Z');
  const present = (value: string) => presentText(pause, value, 'Asia/Manila', now, textOf);
  expect(present('2000-01-01T00:00')).toBe('Not paused');
  expect(present('2026-01-31T06:00')).toBe('Not paused');
  expect(present('2026-11-20T13:00')).toBe('Not paused');
  expect(present('2026-11-20T13:01')).toBe('Nov 20, 2026 1:01 PM');
  expect(settingText(pause, '2000-01-01T00:00', textOf)).toBe('Not paused');
  expect(settingText(pause, '2026-01-31T06:00', textOf)).toBe('Jan 31, 2026 6:00 AM');
});
