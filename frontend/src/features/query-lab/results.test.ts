import { expect, it } from 'vitest';
import { chartOf, type ResultColumn } from './results';

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
