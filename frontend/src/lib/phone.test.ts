import { expect, it } from 'vitest';
import { phoneAddress } from './phone';

it.each([
  ['a number', '+63 917 555 0147', 'tel:+639175550147'],
  ['a number of the country', '(02) 8123-4567', 'tel:0281234567'],
  ['a number with other hyphens', '0917\u2011555\u20130147', 'tel:09175550147'],
  ['the number before an extension', '02 8123 4567 ext. 12', 'tel:0281234567'],
  ['the first of two numbers', '0917 555 0147 / 0918 555 0148', 'tel:09175550147'],
  ['the first number of a list', '0917 555 0147, 0918 555 0148', 'tel:09175550147'],
  ['a number whose area code ends in a slash', '040/123 45 67', 'tel:0401234567'],
  ['a number behind a name', 'Gate 2: 8555 0147', 'tel:85550147'],
  ['a number behind a name and a slash', 'Gate 2 / 8555 0147', 'tel:85550147'],
  ['a foreign number without its domestic zero', '+44 (0)20 7946 0018', 'tel:+442079460018'],
  ['nothing of a text without a number', 'ask the guard', undefined],
  ['nothing of two numbers that run together', '0917 555 0147 0918 555 0148', undefined],
])('dials %s', (_, text, address) => {
  expect(phoneAddress(text)).toBe(address);
});
