import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { DAY_PRESETS } from './date-values';
import { encodeFilters, type Filter } from './filters-codec';
import {
  activeView,
  applyView,
  lastOffset,
  readListState,
  writeListState,
  type ListShape,
  type ListState,
} from './list-state';
import { CHOICE_OPERATORS, type FilterField, RANGE_OPERATORS, TEXT_OPERATORS, type ListView } from './resource';

const shape: ListShape = {
  filters: [
    { key: 'id', labelKey: 'list:value', kind: 'text', operators: TEXT_OPERATORS },
    { key: 'at', labelKey: 'list:value', kind: 'date-range', operators: RANGE_OPERATORS },
    {
      key: 'status',
      labelKey: 'list:value',
      kind: 'enum',
      operators: CHOICE_OPERATORS,
      options: [
        { value: 'Pending', labelKey: 'list:value' },
        { value: 'Rejected', labelKey: 'list:value' },
      ],
    },
  ],
  columns: [{ id: 'id', sortable: true }, { id: 'at', sortable: true }, { id: 'note' }],
  defaultSort: [{ key: 'at', direction: 'desc' }],
};

const plain: ListState = {
  filters: [],
  sort: [{ key: 'at', direction: 'desc' }],
  limit: 25,
  offset: 0,
};

const filterOf = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});

const read = (entries: Record<string, string>) => readListState(new URLSearchParams(entries), shape);

describe('the address of a list', () => {
  it('says nothing of defaults and keeps what is not its own', () => {
    const params = new URLSearchParams({ lng: 'en', offset: '50', sort: 'id' });
    expect(writeListState(params, plain, shape).toString()).toBe('lng=en');
    expect(read({})).toEqual({ state: plain, dropped: false });
  });

  it('holds everything that is shown', () => {
    const state: ListState = {
      filters: [filterOf('id', 'contains', 'DR-1')],
      sort: [
        { key: 'id', direction: 'asc' },
        { key: 'at', direction: 'desc' },
      ],
      limit: 100,
      offset: 200,
    };
    const params = writeListState(new URLSearchParams(), state, shape);
    expect(params.get('sort')).toBe('id,-at');
    expect(readListState(params, shape)).toEqual({ state, dropped: false });
  });

  it('names a page size that is not the one kept for the list, the usual one too', () => {
    const kept = { ...shape, pageSize: 100 };
    const { state } = readListState(new URLSearchParams({ limit: '25' }), kept);
    const next = { ...state, filters: [filterOf('id', 'contains', 'DR-1')] };
    const params = writeListState(new URLSearchParams({ limit: '25' }), next, kept);
    expect(readListState(params, kept).state).toEqual(next);
    expect(writeListState(params, { ...next, limit: 100 }, kept).has('limit')).toBe(false);
  });

  it('comes back as it went', () => {
    const text = fc.string({ minLength: 1, maxLength: 20 }).filter((value) => value.trim() !== '');
    const day = fc
      .date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString().slice(0, 10));
    const filters = fc.array(
      fc.oneof(
        fc
          .tuple(fc.constantFrom(...TEXT_OPERATORS), fc.array(text, { minLength: 1, maxLength: 3 }))
          .map(([operator, values]) => filterOf('id', operator, ...values)),
        fc
          .constantFrom('today', 'yesterday', 'last7days', 'thisMonth')
          .map((preset) => filterOf('at', 'inDateRange', preset)),
        fc.tuple(day, day).map(([from, to]) => filterOf('at', 'inDateRange', from, to)),
        fc.constantFrom('Pending', 'Rejected').map((one) => filterOf('status', '!equals', one)),
      ),
      { maxLength: 4 },
    );
    const direction = fc.constantFrom('asc' as const, 'desc' as const);
    const sort = fc.uniqueArray(
      fc.record({ key: fc.constantFrom('id', 'at'), direction }),
      { minLength: 1, selector: ({ key }) => key },
    );
    const limit = fc.constantFrom(25, 50, 100);
    const pageSize = fc.constantFrom(25, 50, 100);
    const offset = fc.nat({ max: 1_000_000 });
    fc.assert(
      fc.property(fc.record({ filters, sort, limit, offset }), pageSize, (state, kept) => {
        const sized = { ...shape, pageSize: kept };
        const search = writeListState(new URLSearchParams(), state, sized).toString();
        expect(readListState(new URLSearchParams(search), sized)).toEqual({
          state,
          dropped: false,
        });
      }),
    );
  });

  it('never throws and never yields what the list does not know', () => {
    const entry = fc.oneof(fc.string(), fc.base64String(), fc.constantFrom('-1', '1e9', 'id,,-at'));
    const entries = fc.record({ filters: entry, sort: entry, limit: entry, offset: entry });
    fc.assert(
      fc.property(entries, (hostile) => {
        const { state } = read(hostile);
        expect([25, 50, 100]).toContain(state.limit);
        expect(state.offset).toBeGreaterThanOrEqual(0);
        expect(Number.isInteger(state.offset)).toBe(true);
        expect(state.sort.length).toBeGreaterThan(0);
        for (const { key } of state.sort) expect(['id', 'at']).toContain(key);
      }),
    );
  });

  it.each([
    ['an unknown field', { filters: encodeFilters([filterOf('secret', 'equals', 'x')]) }],
    ['an operator of another kind', { filters: encodeFilters([filterOf('id', 'inDateRange', 'today')]) }],
    ['an unknown choice', { filters: encodeFilters([filterOf('status', 'equals', 'Lost')]) }],
    ['a value of blanks', { filters: encodeFilters([filterOf('id', 'equals', '  ')]) }],
    ['a day that is none', { filters: encodeFilters([filterOf('at', 'inDateRange', '2026-02-30', '2026-03-01')]) }],
    ['one end of a range', { filters: encodeFilters([filterOf('at', 'inDateRange', '2026-03-01')]) }],
    ['a column that does not sort', { sort: 'note' }],
    ['one column twice', { sort: 'at,at' }],
    ['a page size of its own', { limit: '7' }],
    ['an offset below zero', { offset: '-5' }],
    ['an offset that is no number', { offset: '1e3' }],
    ['an offset that the server refuses', { offset: '1000025' }],
  ])('leaves out %s and says so', (_, entries) => {
    const { state, dropped } = read(entries);
    expect(dropped).toBe(true);
    expect({ ...state, sort: plain.sort }).toEqual(plain);
  });

  it('leaves out a preset that the field does not offer', () => {
    const [, at] = shape.filters;
    const field = { ...at, presets: DAY_PRESETS } as FilterField;
    const params = (preset: string) => new URLSearchParams({ filters: encodeFilters([filterOf('at', 'inDateRange', preset)]) });
    expect(readListState(params('past'), { ...shape, filters: [field] })).toMatchObject({ state: { filters: [] }, dropped: true });
    expect(readListState(params('today'), { ...shape, filters: [field] }).dropped).toBe(false);
    expect(readListState(params('past'), shape).dropped).toBe(false);
  });

  it.each(['last2days', 'last30days', 'last366days'])('takes %s as a range', (value) => {
    const range = filterOf('at', 'inDateRange', value);
    expect(read({ filters: encodeFilters([range]) })).toMatchObject({ state: { filters: [range] }, dropped: false });
  });

  it.each([['last0days'], ['last1000days'], ['lastdays'], ['2026-11-20', '9999-12-31'], ['2026-11-20T00:00:00Z', '9999-12-31T23:59:00Z']])(
    'leaves out the range %s %s',
    (...values) => {
      const range = filterOf('at', 'inDateRange', ...values);
      expect(read({ filters: encodeFilters([range]) })).toMatchObject({ state: { filters: [] }, dropped: true });
    },
  );

  it('takes two instants as a range', () => {
    const range = filterOf('at', 'inDateRange', '2026-11-13T16:00:00Z', '2026-11-20T16:00:00.000+08:00');
    expect(read({ filters: encodeFilters([range]) }).state.filters).toEqual([range]);
  });
});

it('finds the last page that holds rows', () => {
  expect([lastOffset(0, 25), lastOffset(25, 25), lastOffset(26, 25), lastOffset(1284, 50)]).toEqual([
    0, 0, 25, 1250,
  ]);
  expect(lastOffset(2_500_000, 25)).toBe(1_000_000);
});

describe('views', () => {
  const pending = filterOf('status', 'equals', 'Pending');
  const rejected = filterOf('status', 'equals', 'Rejected');
  const search = filterOf('id', 'contains', 'DR');
  const all: ListView = { id: 'all', labelKey: 'list:value', filters: [] };
  const views: ListView[] = [all, { id: 'pending', labelKey: 'list:value', filters: [pending] }];

  it('are the filters of their own fields only', () => {
    expect(activeView([search], views)?.id).toBe('all');
    expect(activeView([search, { ...pending, values: [{ label: '?', value: 'Pending' }] }], views)?.id).toBe('pending');
    expect(activeView([rejected], views)).toBeUndefined();
  });

  it('may ask a question of their own, which another view takes the place of', () => {
    const today = filterOf('day', 'inDateRange', 'today');
    const month = filterOf('day', 'inDateRange', 'thisMonth');
    const nobody: Filter = { key: 'driver', operator: 'isEmpty', values: [] };
    const standing: ListView[] = [
      { id: 'today', labelKey: 'list:value', standing: true, filters: [today] },
      { id: 'unassigned', labelKey: 'list:value', standing: true, filters: [pending, nobody] },
      ...views,
    ];
    const [first = all, second = all] = standing;
    expect(activeView([today, search], standing)?.id).toBe('today');
    expect(activeView([pending, nobody], standing)?.id).toBe('unassigned');
    expect(activeView([pending, today], standing)?.id).toBe('pending');
    expect(activeView([month, nobody], standing)?.id).toBe('all');
    expect(applyView([search, pending, nobody], first, standing)).toEqual([search, today]);
    expect(applyView([search, month], first, standing)).toEqual([search, today]);
    expect(applyView([search, today], all, standing)).toEqual([search]);
    expect(applyView([search, month], second, standing)).toEqual([search, month, pending, nobody]);
  });

  it('keep the other filters when chosen', () => {
    expect(applyView([search, rejected], { ...all, filters: [pending] }, views)).toEqual([search, pending]);
    expect(applyView([search, pending], all, views)).toEqual([search]);
  });
});
