import { describe, expect, it } from 'vitest';
import { axisNames, valueTicks } from './axes';

const categoriesOf = (...labels: string[]) => labels.map((label) => ({ id: label, label }));
const days = categoriesOf('Nov 20', 'Nov 21', 'Nov 22', 'Nov 23', 'Nov 24', 'Nov 25', 'Nov 26');
const data = (...series: (number | null)[][]) => ({
  categories: (series[0] ?? []).map((_, index) => ({ id: String(index), label: '' })),
  series: series.map((values, index) => ({ id: String(index), label: '', values })),
});

describe('the names of categories', () => {
  it('names every day where there is room', () => {
    expect([...axisNames({ categories: days, isTime: true }, 600).values()]).toEqual(days.map(({ label }) => label));
  });

  it('names fewer days on a phone, and cuts none', () => {
    expect([...axisNames({ categories: days, isTime: true }, 290).values()]).toEqual(['Nov 20', 'Nov 22', 'Nov 24', 'Nov 26']);
    expect([...axisNames({ categories: days, isTime: true }, 40).values()]).toEqual(['Nov 20']);
  });

  it('names all other categories, shortened if necessary', () => {
    const statuses = categoriesOf('Complete no variance', 'Rejected');
    expect([...axisNames({ categories: statuses, isTime: false }, 160).values()]).toEqual(['Complete n…', 'Rejected']);
  });
});

describe('the axis of values', () => {
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
});
