import { expect, it } from 'vitest';
import { changesOf } from './changes';

it('puts both sides of each field together', () => {
  expect(changesOf({ email: 'a@x', roles: ['viewer'] }, { roles: [], status: 'active' })).toEqual([
    { field: 'email', before: 'a@x', after: undefined },
    { field: 'roles', before: ['viewer'], after: [] },
    { field: 'status', before: undefined, after: 'active' },
  ]);
});

it.each([null, undefined, 'text', 3, ['a']])('finds no fields in %j', (side) => {
  expect(changesOf(side, side)).toEqual([]);
});
