import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encodeBase64 } from '@/lib/base64';
import {
  areWithinLimits,
  decodeFilters,
  encodeFilters,
  FILTER_OPERATORS,
  type Filter,
  takesNoValues,
  writeFilters,
} from './filters-codec';

const filter = fc.record({
  key: fc.string({ minLength: 1, maxLength: 20 }),
  operator: fc.constantFrom(...FILTER_OPERATORS.filter((entry) => !takesNoValues(entry))),
  values: fc.array(
    fc.record({
      label: fc.string({ unit: 'grapheme', maxLength: 20 }),
      value: fc.string({ minLength: 1, maxLength: 40 }),
    }),
    { minLength: 1, maxLength: 5 },
  ),
});

const some: Filter = {
  key: 'customername',
  operator: '!equals',
  values: [{ label: 'Parañaque 🚚', value: 'Parañaque 🚚' }],
};

describe('filters in an address', () => {
  it('come back as they went, through the address as well', () => {
    fc.assert(
      fc.property(fc.array(filter, { maxLength: 6 }), (filters) => {
        const text = encodeFilters(filters);
        expect(decodeFilters(text)).toEqual({ filters, malformed: false });
        const search = new URLSearchParams({ filters: text }).toString();
        expect(decodeFilters(new URLSearchParams(search).get('filters')).filters).toEqual(filters);
      }),
    );
  });

  it('need no encoding of the address to survive', () => {
    const text = encodeFilters([some]).replaceAll('+', ' ');
    expect(decodeFilters(text).filters).toEqual([some]);
  });

  it('are nothing when there are none', () => {
    expect(encodeFilters([])).toBe('');
    for (const text of ['', null, undefined]) {
      expect(decodeFilters(text)).toEqual({ filters: [], malformed: false });
    }
  });

  it('never throw, whatever the text', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.base64String()), (text) => {
        const { filters, malformed } = decodeFilters(text);
        expect(Array.isArray(filters)).toBe(true);
        expect(typeof malformed).toBe('boolean');
      }),
    );
  });

  it('take only what has their shape out of any JSON', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const { filters } = decodeFilters(encodeBase64(JSON.stringify(value)));
        for (const { key, operator, values } of filters) {
          expect(typeof key).toBe('string');
          expect(FILTER_OPERATORS).toContain(operator);
          expect(values.length).toBeGreaterThan(0);
        }
      }),
    );
  });

  it('keep the good ones beside bad ones and say that some were dropped', () => {
    const list = [some, { ...some, operator: 'drop' }, { ...some, values: [] }, null, 7];
    expect(decodeFilters(encodeBase64(JSON.stringify(list)))).toEqual({
      filters: [some],
      malformed: true,
    });
  });

  it('carry nothing that was slipped in', () => {
    const list = '[{"key":"id","operator":"equals","values":[{"label":"a","value":"a","x":1}],"__proto__":{"p":1}}]';
    const { filters } = decodeFilters(encodeBase64(list));
    expect(filters).toEqual([
      { key: 'id', operator: 'equals', values: [{ label: 'a', value: 'a' }] },
    ]);
    expect('p' in {}).toBe(false);
  });

  it('have values as long as the server takes, in characters', () => {
    const of = (text: string): Filter => ({ ...some, values: [{ label: text, value: text }] });
    const longest = of('𠮷'.repeat(200));
    expect(decodeFilters(encodeFilters([longest, of('𠮷'.repeat(201))]))).toEqual({ filters: [longest], malformed: true });
  });

  it('are bounded in size', () => {
    expect(decodeFilters('A'.repeat(20_000))).toEqual({ filters: [], malformed: true });
    const many = Array.from({ length: 40 }, () => some);
    expect(decodeFilters(encodeFilters(many)).filters.length).toBe(20);
  });
});

describe('a filter with more values than the server takes', () => {
  const of = (count: number, key = 'id'): Filter => ({
    key,
    operator: 'equals',
    values: Array.from({ length: count }, (_, at) => ({ label: '', value: `D${at}` })),
  });

  it('is sent as several of the same condition, and read back as one', () => {
    const filters = [of(50), of(120, 'customername'), some];
    expect(writeFilters(filters).map(({ key, values }) => `${key} ${values.length}`)).toEqual([
      'id 50',
      'customername 50',
      'customername 50',
      'customername 20',
      'customername 1',
    ]);
    expect(decodeFilters(encodeFilters(filters))).toEqual({ filters, malformed: false });
  });

  it('is within the limits until there are too many parts of it, or the text is too long', () => {
    expect(areWithinLimits([of(120)])).toBe(true);
    expect(areWithinLimits([of(1000)])).toBe(false);
    expect(areWithinLimits(Array.from({ length: 21 }, () => some))).toBe(false);
  });
});

it('takes "is empty" without values, and nothing else', () => {
  const empty: Filter = { key: 'driverId', operator: 'isEmpty', values: [] };
  expect(decodeFilters(encodeFilters([empty]))).toEqual({ filters: [empty], malformed: false });
  for (const wrong of [
    { ...empty, values: [{ label: 'a', value: 'a' }] },
    { ...empty, operator: 'equals' as const },
  ]) {
    expect(decodeFilters(encodeFilters([wrong]))).toEqual({ filters: [], malformed: true });
  }
});
