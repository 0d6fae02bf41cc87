import { expect, it } from 'vitest';
import type { AnalyticsResult } from '@/domain/analytics/query';
import { chartOf, columnsOf, type ResultColumn, rowsOf, textOf } from './results';

const rate: ResultColumn = { key: 'Delivery.onTimeRate', title: 'On time', kind: 'measure' };
const day: ResultColumn = { key: 'Delivery.scheduledatetime.day', title: 'Day', kind: 'time', granularity: 'day' };
const dimension = (name: string): ResultColumn => ({ key: `Delivery.${name}`, title: name, kind: 'dimension' });
const names = { none: 'None', others: 'Others' };

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
    const columns = columnsOf(results);
    const [time] = columns as [ResultColumn];
    const chart = chartOf(columns, rowsOf(results), names);
    return [rowsOf(results).map((one) => textOf(time, one, 'None')), chart?.data.categories.map(({ label }) => label)];
  };
  const years = ['Nov 21, 2025', 'Nov 21, 2026'];
  expect(shown('2025-11-21', '2026-11-21')).toEqual([years, years]);
  expect(shown('2026-11-20', '2026-11-21')).toEqual([['Nov 20', 'Nov 21'], ['Nov 20', 'Nov 21']]);
});
