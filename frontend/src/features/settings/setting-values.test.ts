import { describe, expect, it } from 'vitest';
import { ruleMessage } from '@/form/rule-message';
import { type SettingRules, settingRules, sentValue } from './setting-values';

const plain: SettingRules = { id: 'organization-name', type: 'text', min: null, max: null, pattern: null, options: [] };

/** The error below the field, as react-hook-form reports it. */
function errorOf(changes: Partial<SettingRules>, text: string, isUnreadable = false) {
  const { validate } = settingRules(
    { ...plain, ...changes },
    { required: 'Value is required', unknownTimeZone: 'Unknown here', isUnreadable },
  );
  for (const [type, rule] of Object.entries(validate)) {
    const answer = rule(text);
    if (answer === true) continue;
    return ruleMessage('Value', { type, ...(typeof answer === 'string' && { message: answer }) });
  }
  return undefined;
}

describe('a value is refused', () => {
  it.each([
    [{}, '', 'Value is required'],
    [{}, '   ', 'Value is required'],
    [{ type: 'date' }, '', 'Value is required'],
    [{ type: 'date' }, '2026-02-30', 'Inputted Date is Invalid'],
    [{ type: 'date' }, '-02-', 'Inputted Date is Invalid'],
    [{ type: 'dateTime' }, '', 'Value is required'],
    [{ type: 'dateTime' }, '2026-02-30T10:00', 'Inputted Date is Invalid'],
    [{ type: 'dateTime' }, '2026-02-28T25:00', 'Inputted Date is Invalid'],
    [{ type: 'number' }, 'many', 'Value is not formatted correctly'],
    [{ type: 'number' }, '1e3', 'Value is not formatted correctly'],
    [{ type: 'number', min: '1', max: '20' }, '0', 'Value is too low'],
    [{ type: 'number', min: '1', max: '20' }, '21', 'Value is too high'],
    [{ type: 'time' }, '24:00', 'Value is not formatted correctly'],
    [{ type: 'email' }, 'office', 'Value is not formatted correctly'],
    [{ type: 'url' }, 'javascript:alert(1)', 'Value is not formatted correctly'],
    [{ type: 'url' }, 'hlg', 'Value is not formatted correctly'],
    [{ type: 'number', pattern: '-?\\d+' }, '1.5', 'Value is not formatted correctly'],
    [{ type: 'date', min: '2000-01-01' }, '1999-12-31', 'Value is too low'],
    [{ type: 'dateTime', max: '2030-01-01T00:00' }, '2030-01-01T00:01', 'Value is too high'],
    [{ type: 'url', max: '12' }, 'https://hlg.example', 'Value is too long'],
    [{ min: '3' }, 'ab', 'Value is too short'],
    [{ max: '3' }, 'abcd', 'Value is too long'],
    [{ pattern: '[a-z]+' }, 'ab1', 'Value is not formatted correctly'],
    [{ options: ['mdy', 'dmy'] }, 'ymd', 'Value is not valid'],
    [{ id: 'organization-time-zone', options: ['Mars/Olympus'] }, 'Mars/Olympus', 'Unknown here'],
  ] as const)('%j: %j, with: %s', (changes, text, message) => {
    expect(errorOf(changes as Partial<SettingRules>, text)).toBe(message);
  });

  it('as a date when the browser can make nothing of one', () => {
    expect(errorOf({ type: 'dateTime' }, '', true)).toBe('Inputted Date is Invalid');
    expect(errorOf({ type: 'number' }, '', true)).toBe('Value is not formatted correctly');
  });
});

describe('a value is taken', () => {
  it.each([
    [{ max: '3' }, 'e\u0301e\u0301e\u0301'],
    [{}, 'Habagat'],
    [{ type: 'date' }, '2028-02-29'],
    [{ type: 'dateTime' }, '2026-02-28T23:59'],
    [{ type: 'number', min: '1', max: '20' }, '1'],
    [{ type: 'number', min: '1', max: '20' }, '20'],
    [{ type: 'number' }, '-2.5'],
    [{ type: 'date', min: '2000-01-01' }, '2000-01-01'],
    [{ type: 'time' }, '23:59'],
    [{ type: 'email' }, 'office@hlg.example'],
    [{ type: 'url' }, 'https://hlg.example/a'],
    [{ type: 'boolean' }, 'false'],
    [{ min: '3', max: '3' }, 'añé'],
    [{ pattern: '[a-z]+' }, ' abc '],
    // A pattern that JavaScript cannot parse is checked by the server only.
    [{ pattern: '(?x) broken here [' }, 'abc'],
    [{ options: ['mdy', 'dmy'] }, 'dmy'],
  ] as const)('%j: %j', (changes, text) => {
    expect(errorOf(changes as Partial<SettingRules>, text)).toBeUndefined();
  });
});

it('is sent without the blanks around it, but for a password', () => {
  expect(sentValue({ type: 'text' }, ' a b ')).toBe('a b');
  expect(sentValue({ type: 'password' }, ' a b ')).toBe(' a b ');
});
