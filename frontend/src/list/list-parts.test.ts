import { describe, expect, it } from 'vitest';
import { formatDateValues } from './date-values';
import { addFilter, replaceFilter } from './filter-text';
import type { Filter } from './filters-codec';
import { readListOrigin, toLocationState } from './list-origin';
import { type FilterField, RANGE_OPERATORS } from './resource';
import { nextSort } from './list-table';
import { toWhere } from './to-where';
import { defaultSettings, moveColumn, placeColumn, reconcile } from './use-column-settings';

const manila = 'Asia/Manila';
const filterOf = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: `label of ${value}`, value })),
});

describe('where', () => {
  const now = new Date('2026-11-20T17:00:00Z');
  const values = (...days: string[]) =>
    toWhere([filterOf('at', 'inDateRange', ...days)], manila, [], now)[0]?.values;

  it('drops the labels and passes operators on', () => {
    expect(toWhere([filterOf('id', '!contains', 'a', 'b')], manila)).toEqual([
      { key: 'id', operator: '!contains', values: ['a', 'b'] },
    ]);
  });

  it('splits values into filters of 50, which the server joins', () => {
    const many = Array.from({ length: 51 }, (_, at) => `D${at}`);
    const where = toWhere([filterOf('id', '!equals', ...many)], manila);
    expect(where).toEqual([
      { key: 'id', operator: '!equals', values: many.slice(0, 50) },
      { key: 'id', operator: '!equals', values: ['D50'] },
    ]);
    expect(toWhere([filterOf('driverId', 'isEmpty')], manila)).toEqual([{ key: 'driverId', operator: 'isEmpty', values: [] }]);
  });

  it('makes days and presets instants of the organization', () => {
    expect(values('2026-11-14', '2026-11-20')).toEqual([
      '2026-11-13T16:00:00.000Z',
      '2026-11-20T16:00:00.000Z',
    ]);
    expect(values('today')).toEqual(['2026-11-20T16:00:00.000Z', '2026-11-21T16:00:00.000Z']);
    expect(values('yesterday')).toEqual(['2026-11-19T16:00:00.000Z', '2026-11-20T16:00:00.000Z']);
    expect(values('last7days')?.[0]).toBe('2026-11-14T16:00:00.000Z');
    expect(values('last30days')).toEqual(['2026-10-22T16:00:00.000Z', '2026-11-21T16:00:00.000Z']);
    expect(values('thisMonth')).toEqual(['2026-10-31T16:00:00.000Z', '2026-11-30T16:00:00.000Z']);
  });

  it('asks for a field by the name the server has for it', () => {
    const field: FilterField = {
      key: 'day',
      path: 'at',
      labelKey: 'list:value',
      kind: 'date-range',
      operators: RANGE_OPERATORS,
    };
    expect(toWhere([filterOf('day', 'inDateRange', 'today')], manila, [field], now)[0]?.key).toBe(
      'at',
    );
  });

  it('knows what is over by now', () => {
    expect(values('past')).toEqual(['1970-01-01T00:00:00.000Z', '2026-11-20T17:00:00.000Z']);
  });

  it('narrows by two ranges of one field of the server to what they have in common', () => {
    const fields: FilterField[] = ['day', 'at'].map((key) => ({
      key,
      path: 'at',
      labelKey: 'list:value',
      kind: 'date-range',
      operators: RANGE_OPERATORS,
    }));
    const both = (day: string, ...at: string[]) =>
      toWhere([filterOf('day', 'inDateRange', day), filterOf('at', 'inDateRange', ...at)], manila, fields, now);
    expect(both('thisMonth', '2026-11-21T08:00:00+08:00', '2026-11-21T12:00:00+08:00')).toEqual([
      {
        key: 'at',
        operator: 'inDateRange',
        values: ['2026-11-21T08:00:00+08:00', '2026-11-21T12:00:00+08:00'],
      },
    ]);
    const [none] = both('today', '2026-11-01', '2026-11-02');
    expect(none?.values).toEqual(['2026-11-20T16:00:00.000Z', '2026-11-20T16:00:00.000Z']);
  });

  it('takes several ranges with one key as alternatives, also within another key of the same field', () => {
    const fields: FilterField[] = ['day', 'at'].map((key) => ({
      key,
      path: 'at',
      labelKey: 'list:value',
      kind: 'date-range',
      operators: RANGE_OPERATORS,
    }));
    const days = (key: string, from: string, to: string) => filterOf(key, 'inDateRange', from, to);
    const rangesOf = (...filters: Filter[]) =>
      toWhere(filters, 'UTC', fields, now).map((entry) => entry.values.map((it) => it.slice(5, 10)).join(' '));
    const [early, late] = [days('day', '2026-11-01', '2026-11-03'), days('day', '2026-11-10', '2026-11-12')];
    expect(rangesOf(early, late)).toEqual(['11-01 11-04', '11-10 11-13']);
    expect(rangesOf(early, days('at', '2026-11-03', '2026-11-11'), late)).toEqual(['11-03 11-04', '11-10 11-12']);
    expect(rangesOf(early, days('at', '2026-11-05', '2026-11-09'), late)).toEqual(['11-05 11-05']);
    // Overlapping ranges are joined: the server takes 20 filters.
    const many = (key: string) => Array.from({ length: 9 }, (_, at) => days(key, `2026-11-0${at + 1}`, '2026-11-20'));
    expect(rangesOf(...many('day'), ...many('at'))).toEqual(['11-01 11-21']);
  });

  it('leaves instants as they are', () => {
    const instants = ['2026-11-13T16:00:00Z', '2026-11-20T16:00:00Z'] as const;
    expect(values(...instants)).toEqual(instants);
  });
});

it('shows a range as short as it can', () => {
  expect(formatDateValues(['2026-11-14', '2026-11-20'], manila)).toBe('Nov 14 – Nov 20, 2026');
  expect(formatDateValues(['2025-12-31', '2026-01-01'], manila)).toBe('Dec 31, 2025 – Jan 1, 2026');
  expect(formatDateValues(['2026-11-14', '2026-11-14'], manila)).toBe('Nov 14, 2026');
  expect(formatDateValues(['2026-11-13T16:00:00Z', '2026-11-13T17:00:00Z'], manila)).toBe(
    'Nov 14, 2026 12:00 AM – Nov 14, 2026 1:00 AM',
  );
});

describe('adding a filter', () => {
  const one = filterOf('id', 'equals', 'a');

  it('joins the values of one field and condition', () => {
    expect(addFilter([one], filterOf('id', 'equals', 'a', 'b'))).toEqual([
      filterOf('id', 'equals', 'a', 'b'),
    ]);
    expect(addFilter([one], filterOf('id', 'contains', 'a'))).toHaveLength(2);
  });

  it('replaces a range by a range', () => {
    const today = filterOf('at', 'inDateRange', 'today');
    const yesterday = filterOf('at', 'inDateRange', 'yesterday');
    expect(addFilter([today], yesterday)).toEqual([yesterday]);
  });

  it('changes one in place of another', () => {
    expect(replaceFilter([one], 0, filterOf('id', 'equals', 'b'))).toEqual([
      filterOf('id', 'equals', 'b'),
    ]);
  });
});

describe('sorting by a column', () => {
  const byDate = [{ key: 'at', direction: 'desc' as const }];

  it('goes one way, the other way, and back to the own order', () => {
    const column = { id: 'id', kind: 'id-link' as const };
    const first = nextSort(byDate, column, byDate);
    expect(first).toEqual([{ key: 'id', direction: 'asc' }]);
    const second = nextSort(first, column, byDate);
    expect(second).toEqual([{ key: 'id', direction: 'desc' }]);
    expect(nextSort(second, column, byDate)).toEqual(byDate);
  });

  it('starts numbers and times from the top', () => {
    expect(nextSort(byDate, { id: 'lines', kind: 'number' }, byDate)[0]?.direction).toBe('desc');
    expect(nextSort(byDate, { id: 'at', kind: 'datetime' }, byDate)[0]?.direction).toBe('asc');
  });
});

describe('column settings', () => {
  const columns = [
    { id: 'id', locked: true },
    { id: 'at' },
    { id: 'status' },
    { id: 'note', initiallyHidden: true },
  ];
  const initial = defaultSettings(columns);

  it('take what was stored only as far as it still fits', () => {
    const stored = {
      order: ['gone', 'status', 'id', 'status'],
      hidden: ['id', 'gone', 'status'],
      pinned: ['gone', 'id', 'at', 'at'],
      widths: { gone: 100, at: 4000, note: 1 },
    };
    expect(reconcile(stored, columns)).toEqual({
      order: ['id', 'status', 'at', 'note'],
      hidden: ['status', 'note'],
      pinned: ['at'],
      widths: { at: 600, note: 60 },
    });
    expect(reconcile(initial, columns)).toEqual(initial);
  });

  it('move a column past its shown neighbor, never past a locked one or the end', () => {
    expect(moveColumn(initial, 'status', -1, columns).order).toEqual(['id', 'status', 'at', 'note']);
    expect(moveColumn(initial, 'at', -1, columns)).toBe(initial);
    expect(moveColumn(initial, 'status', 1, columns)).toBe(initial);
  });

  it('place a column anywhere behind the locked ones, and leave hidden ones where they are', () => {
    const all = { ...initial, order: ['id', 'at', 'note', 'status'], hidden: ['note'] };
    expect(placeColumn(all, 'status', 1, columns).order).toEqual(['id', 'status', 'note', 'at']);
    expect(placeColumn(all, 'at', 0, columns)).toBe(all);
    expect(placeColumn(all, 'id', 1, columns)).toBe(all);
    expect(placeColumn(all, 'at', 1, columns)).toBe(all);
    expect(placeColumn(all, 'note', 1, columns)).toBe(all);
    expect(placeColumn(all, 'at', 9, columns)).toBe(all);
  });
});

it('reads the list a record came from only from a state of that list', () => {
  const origin = { list: 'deliveries', pathname: '/deliveries', search: '?sort=id', ids: ['a'], offset: 0, total: 1, exact: true };
  expect(readListOrigin(toLocationState(origin), 'deliveries')).toEqual(origin);
  expect(readListOrigin(toLocationState(origin), 'drivers')).toBeUndefined();
  for (const state of [null, undefined, 'x', {}, { listOrigin: { ...origin, ids: [1] } }]) {
    expect(readListOrigin(state, 'deliveries')).toBeUndefined();
  }
});
