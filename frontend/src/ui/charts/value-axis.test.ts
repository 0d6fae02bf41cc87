import { expect, it } from 'vitest';
import { valueTicks } from './value-axis';

const data = (...series: (number | null)[][]) => ({
  categories: (series[0] ?? []).map((_, index) => ({ id: String(index), label: '' })),
  series: series.map((values, index) => ({ id: String(index), label: '', values })),
});

it.each([
  [[0], 2],
  [[1, null], 2],
  [[0, 3, 1], 4],
  [[4], 5],
  [[120], 5],
])('has whole ticks for whole values: %j', (values, tickCount) => {
  expect(valueTicks(data(values), true)).toEqual({ allowDecimals: false, tickCount });
});

it('goes up to the sum of stacked values', () => {
  expect(valueTicks(data([1, 0], [1, 2]), true).tickCount).toBe(3);
  expect(valueTicks(data([1, 1], [1, 1]), false).tickCount).toBe(2);
});

it('has decimals for other values', () => {
  expect(valueTicks(data([1, 94.25]), false)).toEqual({ allowDecimals: true, tickCount: 5 });
});
