import { describe, expect, it } from 'vitest';
import type { AnalyticsResult } from '@/domain/analytics/query';
import { chartOf, columnsOf, type ResultColumn, rowsOf, sortOf, textOf } from './results';

const rate: ResultColumn = { key: 'Delivery.onTimeRate', title: 'On time', kind: 'measure' };
const day: ResultColumn = { key: 'Delivery.scheduledatetime.day', title: 'Day', kind: 'time', granularity: 'day' };
const dimension = (name: string): ResultColumn => ({ key: `Delivery.${name}`, title: name, kind: 'dimension' });
const names = { none: 'None', others: 'Others', query: (number: string) => `Query ${number}` };
const titles = { query: 'Query', compared: 'Range' };

/** Charts one row with the given columns. */
function chart(columns: ResultColumn[]) {
  const row = Object.fromEntries(columns.map(({ key, kind }) => [key, kind === 'measure' ? '50' : kind === 'time' ? '2026-11-23T00:00:00.000' : 'x']));
  return chartOf(columns, [row], names);
}

it('never adds up rates of groups that a chart cannot show apart', () => {
  const [driver, trucker, status] = ['driverId', 'trucker', 'deliverystatus'].map(dimension) as [ResultColumn, ResultColumn, ResultColumn];
  expect(chart([driver, rate])).toMatchObject({ heading: 'driverId', rate: true });
  expect(chart([driver, trucker, rate])).toBeDefined();
  expect(chart([driver, trucker, status, rate])).toBeUndefined();
  expect(chart([day, driver, rate])).toMatchObject({ heading: 'Day' });
  expect(chart([day, driver, trucker, rate])).toBeUndefined();
  expect(chart([day, driver, trucker, { ...rate, key: 'Delivery.count' }])).toBeDefined();
  expect(chart([rate])).toBeUndefined();
});

it('shows the year of days of more than one year, in the table and the chart', () => {
  const count: ResultColumn = { key: 'Delivery.count', title: 'Deliveries', kind: 'measure' };
  const row = (at: string) => ({ [day.key]: `${at}T00:00:00.000`, [count.key]: '3' });
  const shown = (...days: string[]) => {
    const annotation = {
      dimensions: {},
      measures: { [count.key]: { title: count.title } },
      timeDimensions: { [day.key]: { title: day.title } },
    };
    const results = [{ annotation, data: days.map(row), query: {} }] as unknown as AnalyticsResult[];
    const columns = columnsOf(results, titles);
    const [time] = columns as [ResultColumn];
    const chart = chartOf(columns, rowsOf(results), names);
    return [rowsOf(results).map((one) => textOf(time, one, 'None')), chart?.data.categories.map(({ label }) => label)];
  };
  const years = ['Nov 21, 2025', 'Nov 21, 2026'];
  expect(shown('2025-11-21', '2026-11-21')).toEqual([years, years]);
  expect(shown('2026-11-20', '2026-11-21')).toEqual([['Nov 20', 'Nov 21'], ['Nov 20', 'Nov 21']]);
});

describe('several results', () => {
  const count = 'Delivery.count';
  const resultOf = (value: string, more: Record<string, string> = {}) => ({
    query: {},
    annotation: { dimensions: {}, measures: { [count]: { title: 'Deliveries' } }, timeDimensions: { [day.key]: { title: 'Day' } } },
    data: [{ [day.key]: '2026-11-21T00:00:00.000', [count]: value, ...more }],
  });
  const shown = (...results: object[]) => {
    const found = results as AnalyticsResult[];
    const columns = columnsOf(found, titles);
    const rows = rowsOf(found);
    const chart = chartOf(columns, rows, names);
    return {
      heads: columns.map(({ title }) => title),
      cells: rows.map((row) => columns.map((column) => textOf(column, row, 'None'))),
      series: chart?.data.series.map(({ label, values }) => [label, ...values]),
      totals: chart?.totals,
    };
  };

  it('of blended queries are told apart, in the table and the chart, and not added up', () => {
    expect(shown(resultOf('10'), resultOf('4'))).toEqual({
      heads: ['Day (day)', 'Query', 'Deliveries'],
      cells: [
        ['Nov 21', '1', '10'],
        ['Nov 21', '2', '4'],
      ],
      series: [
        ['Query 1', 10],
        ['Query 2', 4],
      ],
      totals: false,
    });
  });

  it('of compared ranges are told apart by their ranges', () => {
    const { heads, series } = shown(resultOf('10', { compareDateRange: 'A' }), resultOf('4', { compareDateRange: 'B' }));
    expect(heads).toEqual(['Day (day)', 'Range', 'Deliveries']);
    expect(series).toEqual([
      ['A', 10],
      ['B', 4],
    ]);
  });
});

it('keeps the largest groups of a chart, unless the query is sorted otherwise', () => {
  const [trucker, status] = [dimension('trucker'), dimension('deliverystatus')];
  const count: ResultColumn = { key: 'Delivery.count', title: 'Deliveries', kind: 'measure' };
  const row = (group: string, part: string, value: number) => ({ [trucker.key]: group, [status.key]: part, [count.key]: String(value) });
  const rows = [
    ...Array.from({ length: 70 }, (_, at) => row(`T${at}`, 'Pending', 3)),
    ...['Pending', 'Rejected'].map((part) => row('Largest', part, 2)),
  ];
  const shown = (id: string, desc: boolean) => {
    const results = [{ query: { order: [{ id, desc }] } }] as unknown as AnalyticsResult[];
    return chartOf([trucker, status, count], rows, names, sortOf(results))?.data.categories.map(({ label }) => label);
  };
  expect(shown(count.key, true)).toContain('Largest');
  expect(shown(trucker.key, true)).not.toContain('Largest');
});
