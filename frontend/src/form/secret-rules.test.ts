import { expect, it } from 'vitest';
import { passwordRules, pinRules, repeatRules } from './secret-rules';

it.each([
  ['x'.repeat(7), 'minLength'],
  ['x'.repeat(8), undefined],
  ['x'.repeat(128), undefined],
  ['x'.repeat(129), 'maxLength'],
  // One visible character, two UTF-16 units.
  ['😀'.repeat(7), 'minLength'],
  ['😀'.repeat(128), undefined],
  ['        ', undefined],
])('finds in the password %j the fault %s', (password, fault) => {
  const { validate } = passwordRules;
  const failed = Object.entries(validate).find(([, holds]) => !holds(password));
  expect(failed?.[0]).toBe(fault);
});

it.each([
  ['12345', 'minLength'],
  ['123456', undefined],
  ['123456789012', undefined],
  ['1234567890123', 'maxLength'],
  ['12345a', 'pattern'],
])('finds in the PIN %j the fault %s', (pin, fault) => {
  const failed = Object.entries(pinRules.validate).find(([, holds]) => !holds(pin));
  expect(pinRules.pattern.test(pin) ? failed?.[0] : 'pattern').toBe(fault);
});

it('wants the same twice', () => {
  const { validate } = repeatRules<{ password: string; repeat: string }>('password', 'It differs');
  expect(validate('one', { password: 'one', repeat: 'one' })).toBe(true);
  expect(validate('two', { password: 'one', repeat: 'two' })).toBe('It differs');
});
