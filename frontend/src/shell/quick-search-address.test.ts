import { expect, it } from 'vitest';
import { decodeFilters, encodeFilters, type Filter } from '@/list/filters-codec';
import { parseSearch } from '@/routing/paths';
import {
  closedSearchAddress,
  quickSearchAddress,
  quickSearchText,
  quickSearchTexts,
} from './quick-search-address';

const info = { key: 'id', route: 'deliveries' } as const;

function filter(key: string, operator: Filter['operator'], ...values: string[]): Filter {
  return { key, operator, values: values.map((value) => ({ label: value, value })) };
}

function searchOf(filters: Filter[], rest = ''): string {
  return `?filters=${encodeURIComponent(encodeFilters(filters))}${rest}`;
}

function filtersOf(address: string): Filter[] {
  return decodeFilters(parseSearch(address.slice(address.indexOf('?'))).filters).filters;
}

it('adds one contains filter to the same route', () => {
  const address = quickSearchAddress('', info, 'DR-11');
  expect(address.startsWith('/deliveries?filters=')).toBe(true);
  expect(filtersOf(address)).toEqual([filter('id', 'contains', 'DR-11')]);
});

it('keeps other filters, the sort and the limit, and starts at the first page', () => {
  const trucker = filter('trucker', '!equals', 'Southgate Movers');
  const notThose = filter('id', '!contains', 'X');
  const search = searchOf(
    [trucker, filter('id', 'contains', 'old'), notThose],
    '&sort=-id&limit=50&offset=100',
  );
  const address = quickSearchAddress(search, info, 'new');
  expect(filtersOf(address)).toEqual([trucker, notThose, filter('id', 'contains', 'new')]);
  expect(parseSearch(address.slice(address.indexOf('?')))).toMatchObject({
    sort: '-id',
    limit: '50',
  });
  expect(address).not.toContain('offset');
});

it('leaves a tab that has no list, and keeps one that has', () => {
  const ofTabs = { key: 'deliveryId', route: 'deadLetters', tabs: ['sent'] } as const;
  const params = (search: string) => Object.keys(parseSearch(new URL(quickSearchAddress(search, ofTabs, 'DR'), 'http://a').search));
  expect(params('?tab=endpoints&limit=50')).toEqual(['limit', 'filters']);
  expect(params('?tab=sent')).toEqual(['tab', 'filters']);
});

it('closes with limit and offset only', () => {
  const search = searchOf([filter('id', 'contains', 'x')], '&sort=-id&limit=50&offset=100&view=a');
  expect(closedSearchAddress(search, info)).toBe('/deliveries?limit=50&offset=100');
  expect(closedSearchAddress('', info)).toBe('/deliveries');
});

it('reads its text back from the address', () => {
  expect(quickSearchText(searchOf([filter('id', 'contains', 'DR')]), info)).toBe('DR');
  expect(quickSearchText(searchOf([filter('id', 'contains', 'a', 'b')]), info)).toBe('a, b');
  expect(
    quickSearchText(searchOf([filter('name', 'contains', 'a', 'b')]), { key: 'name', route: 'drivers' }),
  ).toBe('');
  expect(quickSearchText(searchOf([filter('id', 'startsWith', 'DR')]), info)).toBe('');
  expect(quickSearchText('?filters=%%%', info)).toBe('');
});

it.each([
  ['DR-11', ['DR-11']],
  [' DR-11, DR-12;DR-13 ', ['DR-11', 'DR-12', 'DR-13']],
  ['DR-11\r\nDR-12\tDR-13', ['DR-11', 'DR-12', 'DR-13']],
  ['DR-11 DR-12', ['DR-11', 'DR-12']],
  ['DR-11 DR-11', ['DR-11']],
  ['DR 12', ['DR 12']],
  [' , ', []],
])('reads the Delivery Docs of %j', (text, docs) => {
  expect(quickSearchTexts(text, 'id')).toEqual(docs);
});

it('looks for a name as it is typed, with its blanks and commas', () => {
  expect(quickSearchTexts(' Santos, R2 D2 ', 'name')).toEqual(['Santos, R2 D2']);
});

it('finds any of several Delivery Docs by one filter', () => {
  expect(filtersOf(quickSearchAddress('', info, 'DR-11, DR-12'))).toEqual([
    filter('id', 'contains', 'DR-11', 'DR-12'),
  ]);
});

it('searches for more Delivery Docs than one filter takes, and reads them all back', () => {
  const docs = Array.from({ length: 80 }, (_, index) => `DR-${104_000 + index}`);
  const address = quickSearchAddress('', info, docs.join('\n'));
  expect(filtersOf(address)).toEqual([filter('id', 'contains', ...docs)]);
  expect(quickSearchText(new URL(address, 'http://a').search, info)).toBe(docs.join(', '));
});
