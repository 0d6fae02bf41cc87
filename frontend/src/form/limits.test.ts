import { expect, it } from 'vitest';
import { atMost, lengthOf, requiredText } from './limits';

it.each([
  ['', 0],
  ['   ', 0],
  [' Nena ', 4],
  // One letter in two parts, which the server composes.
  ['Jose\u0301', 4],
  ['🚚🚚', 2],
])('counts %j as %i characters, like the server', (text, length) => {
  expect(lengthOf(text)).toBe(length);
});

it('allows as many characters as the server stores', () => {
  const { maxLength } = atMost(3);
  expect([' abc ', '🚚🚚🚚', 'e\u0301e\u0301e\u0301'].map(maxLength)).toEqual([true, true, true]);
  expect(['abcd', '🚚🚚🚚🚚'].map(maxLength)).toEqual([false, false]);
});

it('requires more than white space', () => {
  const { required, maxLength } = requiredText(3).validate;
  expect([required(' \n'), required(' a '), maxLength('abcd')]).toEqual([false, true, false]);
});
