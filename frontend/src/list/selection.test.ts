import { expect, it } from 'vitest';
import { between, withIds, withoutIds } from './selection';

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `d${index}`);

it('takes ids in and out, each once', () => {
  const { ids } = withIds(new Set(['a']), ['b', 'a', 'c']);
  expect([...ids]).toEqual(['a', 'b', 'c']);
  expect([...withoutIds(ids, ['b', 'x']).ids]).toEqual(['a', 'c']);
});

it('holds a thousand and says when it is full', () => {
  expect(withIds(new Set(), numbered(1000))).toMatchObject({ full: false });
  const { ids, full } = withIds(new Set(numbered(999)), ['x', 'y']);
  expect(full).toBe(true);
  expect([...ids].slice(-2)).toEqual(['d998', 'x']);
});

it('reaches from the last row to this one, up or down', () => {
  const page = numbered(5);
  expect(between(page, 'd1', 'd3')).toEqual(['d1', 'd2', 'd3']);
  expect(between(page, 'd3', 'd1')).toEqual(['d1', 'd2', 'd3']);
  expect(between(page, 'd2', 'd2')).toEqual(['d2']);
  expect(between(page, undefined, 'd2')).toEqual(['d2']);
  expect(between(page, 'of another page', 'd2')).toEqual(['d2']);
});
