import { expect, it } from 'vitest';
import { checkCode } from './check-code';

const form = (formVersion: number, supersededBy: number | null = null) => ({
  formVersion,
  supersededBy,
  verificationCode: '7KQ2-M4XD',
});

it.each([
  ['7KQ2-M4XD', form(2), 2, { result: 'newest', version: 2 }],
  [' 7kq2 m4xd ', form(2), 2, { result: 'newest', version: 2 }],
  ['7KQ2-M4XE', form(2), 2, { result: 'different', version: 2 }],
  ['', form(2), 2, { result: 'different', version: 2 }],
  ['7KQ2-M4XD', form(1, 2), 2, { result: 'superseded', version: 1, by: 2 }],
  // There are two later corrections, so the latest version applies.
  ['7KQ2-M4XD', form(1, 2), 3, { result: 'superseded', version: 1, by: 3 }],
  ['7KQ2-M4XE', form(1, 2), 2, { result: 'different', version: 1 }],
] as const)('finds for the code %j of %j, newest %i: %j', (code, shown, formVersion, check) => {
  expect(checkCode(code, shown, { formVersion })).toEqual(check);
});
