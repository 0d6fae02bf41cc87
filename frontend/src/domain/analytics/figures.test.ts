import { describe, expect, it } from 'vitest';
import { decodeFilters, type Filter } from '@/list/filters-codec';
import { bucketInFile, bucketsOf, daysOfBucket, formatBucket, MAX_BUCKETS } from './buckets';
import {
  analyticsFilters,
  daysOf,
  deliveriesAddress,
  equalsFilter,
  filtersOfRow,
  withStatuses,
} from './delivery-filters';
import { addsUp } from './measures';
import { NO_VALUE, OTHERS, pivot } from './pivot';

const text = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});
const range = { from: '2026-11-14', to: '2026-11-20' };

describe('buckets', () => {
  it.each([
    ['day', 7, '2026-11-14T00:00:00.000', '2026-11-20T00:00:00.000'],
    // Weeks start on Monday, so the first bucket starts before the range.
    ['week', 2, '2026-11-09T00:00:00.000', '2026-11-16T00:00:00.000'],
    ['month', 1, '2026-11-01T00:00:00.000', '2026-11-01T00:00:00.000'],
    ['quarter', 1, '2026-10-01T00:00:00.000', '2026-10-01T00:00:00.000'],
    ['hour', 168, '2026-11-14T00:00:00.000', '2026-11-20T23:00:00.000'],
  ] as const)('of a %s are all there, empty ones too', (granularity, count, first, last) => {
    const buckets = bucketsOf(range, granularity);
    expect(buckets).toHaveLength(count);
    expect([buckets?.[0], buckets?.at(-1)]).toEqual([first, last]);
  });

  it('go over the end of a year and of February', () => {
    expect(bucketsOf({ from: '2027-12-31', to: '2028-04-02' }, 'quarter')).toEqual([
      '2027-10-01T00:00:00.000',
      '2028-01-01T00:00:00.000',
      '2028-04-01T00:00:00.000',
    ]);
    expect(bucketsOf({ from: '2028-02-28', to: '2028-03-01' }, 'day')).toHaveLength(3);
  });

  it('are no more than can be drawn', () => {
    expect(bucketsOf({ from: '2020-01-01', to: '2026-12-31' }, 'day')).toBeUndefined();
    expect(bucketsOf(range, 'minute')).toBeUndefined();
  });

  it('lead to the days of them that were asked for', () => {
    expect(daysOfBucket('2026-11-09T00:00:00.000', 'week', range)).toEqual({ from: '2026-11-14', to: '2026-11-15' });
    expect(daysOfBucket('2026-10-01T00:00:00.000', 'quarter', range)).toEqual(range);
    expect(daysOfBucket('2026-11-14T03:00:00.000', 'hour', range)).toBeUndefined();
  });

  it('are named by their start', () => {
    expect(formatBucket('2026-11-14T00:00:00.000', 'day', range)).toBe('Nov 14');
    expect(formatBucket('2026-11-14T15:00:00.000', 'hour', range)).toBe('Nov 14, 3 PM');
    expect(formatBucket('2026-10-01T00:00:00.000', 'quarter', range)).toBe('Q4 2026');
  });

  it.each([
    ['day', '2025-11-21T00:00:00.000', 'Nov 21, 2025'],
    ['week', '2025-12-29T00:00:00.000', 'Dec 29, 2025'],
    ['hour', '2025-11-21T15:00:00.000', 'Nov 21, 2025, 3 PM'],
    ['minute', '2025-11-21T15:04:00.000', 'Nov 21, 2025, 3:04 PM'],
    ['second', '2025-11-21T15:04:05.000', 'Nov 21, 2025, 3:04:05 PM'],
    ['month', '2025-11-01T00:00:00.000', 'Nov 2025'],
  ] as const)('of a %s have their year where there is more than one', (granularity, bucket, label) => {
    expect(formatBucket(bucket, granularity, { from: '2025-11-21', to: '2026-11-21' })).toBe(label);
  });

  it('of a week that began last year have their year', () => {
    const days = { from: '2026-01-01', to: '2026-01-11' };
    expect(formatBucket('2025-12-29T00:00:00.000', 'week', days)).toBe('Dec 29, 2025');
    expect(formatBucket('2026-01-01T00:00:00.000', 'day', days)).toBe('Jan 1');
  });

  it('have their year in a file', () => {
    expect(bucketInFile('2026-12-28T00:00:00.000', 'week')).toBe('2026-12-28');
    expect(bucketInFile('2026-11-14T15:00:00.000', 'hour')).toBe('2026-11-14 15:00');
    expect(bucketInFile('2026-11-14T15:04:05.000', 'second')).toBe('2026-11-14 15:04:05');
  });
});

describe('filters of the list', () => {
  it('mean the same to the service: alternatives of a field, negated ones one by one, fields together', () => {
    expect(
      analyticsFilters([
        text('trucker', 'startsWith', 'Hab'),
        text('trucker', 'equals', 'Tres Hermanos', 'Amihan'),
        text('customername', '!contains', 'Mart'),
        text('dateRange', 'inDateRange', 'today'),
        text('driverId', 'isEmpty'),
        text('Delivery.deliverydatetime', 'inDateRange', '2026-11-01', '2026-11-02'),
      ]),
    ).toEqual([
      { member: 'CustomerReport.customername', operator: 'notContains', values: ['Mart'] },
      {
        or: [
          { member: 'Delivery.trucker', operator: 'startsWith', values: ['Hab'] },
          { member: 'Delivery.trucker', operator: 'equals', values: ['Tres Hermanos', 'Amihan'] },
        ],
      },
      { member: 'Driver.driverId', operator: 'notSet' },
      { member: 'Delivery.deliverydatetime', operator: 'inDateRange', values: ['2026-11-01', '2026-11-02'] },
    ]);
  });

  it('ask for seven days with today among them where no range is set', () => {
    const now = new Date('2026-11-20T20:00:00Z');
    // It is already the 21st in Manila.
    const week = { from: '2026-11-15', to: '2026-11-21' };
    expect(daysOf([], 'Asia/Manila', now)).toEqual(week);
    // The past has no first day.
    expect(daysOf([text('dateRange', 'inDateRange', 'past')], 'Asia/Manila', now)).toEqual(week);
    expect(daysOf([text('dateRange', 'inDateRange', '2026-11-03', '2026-11-01')], 'UTC', now)).toEqual({
      from: '2026-11-01',
      to: '2026-11-03',
    });
  });

  it('become those of the deliveries behind a row', () => {
    const filters = [text('trucker', 'startsWith', 'Hab'), text('deliverystatus', '!equals', 'Pending')];
    const found = filtersOfRow({
      filters,
      range,
      dimensions: ['Delivery.deliverystatus', 'Driver.driverId', 'Driver.driverName'],
      granularity: 'day',
      row: {
        'Delivery.scheduledatetime.day': '2026-11-16T00:00:00.000',
        'Delivery.deliverystatus': 'Rejected',
        'Driver.driverId': null,
        'Driver.driverName': null,
      },
    });
    expect(found).toEqual([
      text('dateRange', 'inDateRange', '2026-11-16', '2026-11-16'),
      text('trucker', 'startsWith', 'Hab'),
      equalsFilter('deliverystatus', 'Rejected'),
      text('driverId', 'isEmpty'),
    ]);
    const [, query = ''] = deliveriesAddress(found ?? []).split('?');
    expect(decodeFilters(new URLSearchParams(query).get('filters')).filters).toEqual(found);
  });

  it('are none where the list counts something else, or has no such field', () => {
    const row = { 'Variance.reason': 'Wrong item', 'Driver.driverName': 'Edwin' };
    const rest = { range, granularity: undefined, row };
    expect(filtersOfRow({ filters: [], dimensions: ['Variance.reason'], ...rest })).toBeUndefined();
    expect(filtersOfRow({ filters: [text('reason', 'equals', 'Wrong item')], dimensions: [], ...rest })).toBeUndefined();
    expect(filtersOfRow({ filters: [], dimensions: ['Driver.driverName'], ...rest })).toBeUndefined();
    expect(filtersOfRow({ filters: [text('Variance.kind', 'equals', 'short')], dimensions: [], ...rest })).toBeUndefined();
  });

  it('keep to the statuses that a measure counts', () => {
    const complete = ['Complete_No_Variance', 'Complete_With_Variance'];
    const filters = [equalsFilter('deliverystatus', 'Pending', 'Complete_No_Variance'), text('id', 'contains', '7')];
    expect(withStatuses(filters, complete)).toEqual([
      text('id', 'contains', '7'),
      equalsFilter('deliverystatus', 'Complete_No_Variance'),
    ]);
    expect(withStatuses([equalsFilter('deliverystatus', 'Pending')], complete)).toBeUndefined();
  });
});

describe('rows', () => {
  const names = { measure: 'Deliveries', others: 'Other' };
  const labelOf = (_: string, value: string) => (value === NO_VALUE ? 'None' : value);

  it('are put into buckets and series, in the order of the statuses', () => {
    const row = (day: number, status: string, count: string) => ({
      'D.t.day': `2026-11-${day}T00:00:00.000`,
      'D.status': status,
      'D.count': count,
    });
    const data = pivot({
      rows: [row(15, 'Pending', '4'), row(14, 'Pending', '1'), row(15, 'Complete_No_Variance', '9')],
      measure: 'D.count',
      by: { dimension: 'D.t', granularity: 'day', range: { from: '2026-11-14', to: '2026-11-16' } },
      split: 'D.status',
      order: ['Complete_No_Variance', 'Pending'],
      labelOf,
      names,
    });
    expect(data.categories.map(({ label }) => label)).toEqual(['Nov 14', 'Nov 15', 'Nov 16']);
    const years = pivot({
      rows: [{ 'D.t.day': '2025-11-14T00:00:00.000', 'D.count': '1' }, row(14, 'Pending', '1')],
      measure: 'D.count',
      by: { dimension: 'D.t', granularity: 'day' },
      labelOf,
      names,
    });
    expect(years.categories.map(({ label }) => label)).toEqual(['Nov 14, 2025', 'Nov 14, 2026']);
    expect(data.series.map(({ id, values }) => [id, values])).toEqual([
      ['Complete_No_Variance', [null, 9, null]],
      ['Pending', [1, 4, null]],
    ]);
  });

  it('of more times than can be drawn are the first ones, and the others are counted', () => {
    const rows = Array.from({ length: 1000 }, (_, minute) => ({
      'D.t.minute': new Date(Date.UTC(2026, 10, 14, 0, minute)).toISOString().slice(0, -1),
      'D.n': '1',
    }));
    const by = { dimension: 'D.t', granularity: 'minute', range } as const;
    const data = pivot({ rows, measure: 'D.n', by, labelOf, names });
    expect([data.categories.length, data.leftOut]).toEqual([MAX_BUCKETS, 600]);
    expect(data.categories.at(-1)?.id).toBe('2026-11-14T06:39:00.000');
    expect(data.series[0]?.values).toEqual(Array.from({ length: MAX_BUCKETS }, () => 1));
  });

  it('of many values add the smallest up, unless that would be wrong', () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ 'D.trucker': index === 11 ? null : `T${index}`, 'D.n': String(20 - index) }));
    const spec = { rows, measure: 'D.n', by: undefined, split: 'D.trucker', labelOf, names };
    const data = pivot(spec);
    expect(data.series).toHaveLength(8);
    expect(data.series.at(-1)).toMatchObject({ id: OTHERS, label: 'Other', values: [13 + 12 + 11 + 10 + 9] });
    expect(data.leftOut).toBe(0);
    const rates = pivot({ ...spec, additive: false });
    expect(rates.series.map(({ id }) => id)).not.toContain(OTHERS);
    expect([rates.series.length, rates.leftOut]).toEqual([8, 4]);
  });

  it('of more groups than fit on the axis add the others up, unless that would be wrong', () => {
    const rows = Array.from({ length: 200 }, (_, index) => ({ 'D.customer': `C${index}`, 'D.status': index % 2 ? 'a' : 'b', 'D.n': '3' }));
    const spec = { rows, measure: 'D.n', by: { dimension: 'D.customer' }, split: 'D.status', labelOf, names };
    const data = pivot(spec);
    expect(data.categories).toHaveLength(60);
    expect(data.categories.at(-1)).toEqual({ id: OTHERS, label: 'Other' });
    const sum = data.series.flatMap(({ values }) => values).reduce<number>((all, value) => all + (value ?? 0), 0);
    expect([sum, data.leftOut]).toEqual([600, 0]);
    const rates = pivot({ ...spec, additive: false });
    expect([rates.categories.length, rates.categories.at(-1)?.id, rates.leftOut]).toEqual([60, 'C59', 140]);
  });

  it('of the largest groups stay, also where each is split into small parts', () => {
    const part = (customer: string, status: string, count: number) => ({ 'D.customer': customer, 'D.status': status, 'D.n': String(count) });
    // Sorted by the count of each row. The last customer has the most.
    const rows = [
      ...Array.from({ length: 80 }, (_, index) => part(`C${index}`, 'a', 10)),
      ...Array.from({ length: 5 }, (_, index) => part('Largest', `s${index}`, 4)),
    ];
    const spec = { rows, measure: 'D.n', by: { dimension: 'D.customer' }, split: 'D.status', labelOf, names };
    const shown = (data: ReturnType<typeof pivot>) => data.categories.map(({ id }) => id);
    const data = pivot(spec);
    expect(shown(data).slice(-3)).toEqual(['C57', 'Largest', OTHERS]);
    const sums = data.categories.map((_, at) => data.series.reduce((sum, { values }) => sum + (values[at] ?? 0), 0));
    expect(sums.slice(-2)).toEqual([20, 220]);
    expect(shown(pivot({ ...spec, sortedBy: ['D.n', 'desc'] }))).toContain('Largest');
    // Another order is the reader's choice of what comes first.
    expect(shown(pivot({ ...spec, sortedBy: ['D.customer', 'asc'] })).slice(-2)).toEqual(['C58', OTHERS]);
    expect(shown(pivot({ ...spec, additive: false })).at(-1)).toBe('C59');
  });

  it('add up where every delivery is in one group only', () => {
    expect(addsUp('Delivery.count', ['Delivery.trucker'])).toBe(true);
    expect(addsUp('Delivery.count', ['Variance.reason'])).toBe(false);
    expect(addsUp('Variance.count', ['Variance.reason'])).toBe(true);
    expect(addsUp('Delivery.onTimeRate', [])).toBe(false);
    expect(addsUp('Shipment.count', [])).toBe(false);
  });
});
