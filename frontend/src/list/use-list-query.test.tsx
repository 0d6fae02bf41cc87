import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { Provider } from 'urql';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createGraphqlClient } from '@/data/client';
import { versionList } from '@/test/version-list';
import type { ListState } from './list-state';
import { useListQuery } from './use-list-query';
import { type ListNavigation, useListPaging } from './use-list-state';

const state: ListState = { filters: [], sort: [], limit: 25, offset: 0 };
const setOffset = vi.fn<ListNavigation['setOffset']>();

beforeEach(() => setOffset.mockClear());
afterEach(() => void vi.useRealTimers());

/** Reads a list whose requests are answered by hand: `reply` and `fail` answer the latest one. */
async function open(first: ListState = state, resource = versionList) {
  const signals: (AbortSignal | null | undefined)[] = [];
  let answer: (response: Response) => void = () => undefined;
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    onUnauthenticated: () => undefined,
    fetch: (_, init) => {
      signals.push(init?.signal);
      return new Promise((resolve) => (answer = resolve));
    },
  });
  const wrapper = ({ children }: { children: ReactNode }) => <Provider value={client}>{children}</Provider>;
  const useList = (shown: ListState) => {
    const list = useListQuery(resource, shown, 'UTC');
    const page = { count: list.count, shown: list.rows.length, isLoading: list.refreshing };
    useListPaging(page, { state: shown, setOffset } as Partial<ListNavigation> as ListNavigation);
    return list;
  };
  const { result, rerender } = renderHook(useList, { wrapper, initialProps: first });
  const respond = (body: object) => act(async () => answer(Response.json(body)));
  await act(async () => undefined);
  return {
    result,
    signals,
    go: (next: ListState) => act(async () => rerender(next)),
    reply: (version: string) => respond({ data: { redwood: { __typename: 'Redwood', version } } }),
    fail: () => respond({ data: null, errors: [{ message: 'Too busy' }] }),
  };
}

it('refreshes after the read in flight, which it does not abort, and without an indicator', async () => {
  const { result, signals, reply } = await open();
  await reply('one');
  await act(async () => result.current.refresh());
  await act(async () => result.current.refresh());
  expect([signals.length, signals.at(-1)?.aborted]).toEqual([2, false]);
  expect(result.current.query).toBe('polling');
  await reply('two');
  expect(result.current.rows).toEqual(['two']);
  expect(signals).toHaveLength(3);
  await reply('three');
  expect(result.current).toMatchObject({ rows: ['three'], query: 'ready' });
  expect(signals).toHaveLength(3);
});

it('keeps the rows of a filter that moves with the clock when the read of the next minute fails', async () => {
  const openedAt = Date.parse('2026-11-20T07:04:30Z');
  vi.useFakeTimers({ now: openedAt, toFake: ['Date', 'setInterval', 'clearInterval'] });
  const past = { key: 'dueAt', operator: 'inDateRange' as const, values: [{ label: 'past', value: 'past' }] };
  const { result, signals, reply, fail } = await open({ ...state, filters: [past] });
  await reply('one');
  await act(async () => vi.advanceTimersByTime(61_000));
  expect(signals).toHaveLength(2);
  expect(result.current).toMatchObject({ query: 'polling', refreshing: false, rows: ['one'] });
  await fail();
  expect(result.current).toMatchObject({ status: 'ready', rows: ['one'], staleSince: openedAt });
  await act(async () => vi.advanceTimersByTime(60_000));
  await reply('two');
  expect(result.current).toMatchObject({ status: 'ready', rows: ['two'], staleSince: undefined });
});

it('shows when stale rows were read, not when the page came back', async () => {
  const openedAt = Date.parse('2026-11-20T07:04:30Z');
  vi.useFakeTimers({ now: openedAt, toFake: ['Date'] });
  const { result, go, reply, fail } = await open();
  await reply('one');
  vi.setSystemTime(openedAt + 60_000);
  await go({ ...state, offset: 25 });
  await reply('two');
  await go(state);
  expect(result.current.rows).toEqual(['one']);
  await fail();
  expect(result.current).toMatchObject({ rows: ['one'], staleSince: openedAt });
});

it('does not take the rows of another state for those of an earlier page that is opened again', async () => {
  vi.useFakeTimers();
  const page = { ...state, offset: 25 };
  const search = { key: 'id', operator: 'contains' as const, values: [{ label: 'A', value: 'A' }] };
  const { result, go, reply } = await open(page);
  await reply('one');
  await act(async () => result.current.refresh());
  await reply('two');
  await go({ ...state, filters: [search] });
  await reply('');
  // Whether the list has any rows.
  await reply('one');
  expect(result.current.status).toBe('no-match');
  // The client has dropped the page by now.
  await act(async () => vi.advanceTimersByTimeAsync(31_000));
  await go(page);
  expect(result.current).toMatchObject({ query: 'refetch', refreshing: true, rows: [] });
  expect(setOffset).not.toHaveBeenCalled();
  await reply('three');
  expect(result.current).toMatchObject({ status: 'ready', query: 'ready', rows: ['three'] });
});

it('goes to the last page if there are no rows on this one', async () => {
  const { go, reply } = await open();
  await reply('one');
  await go({ ...state, offset: 100 });
  expect(setOffset).not.toHaveBeenCalled();
  await reply('');
  expect(setOffset).toHaveBeenCalledWith(0, true);
});

it('goes back to the page before if the server stopped counting before it, and then to the last page counted', async () => {
  const count = { total: 60, exact: false };
  const { go, reply } = await open(
    { ...state, offset: 75 },
    { ...versionList, toList: (data) => ({ ...versionList.toList(data), count }) },
  );
  await reply('one');
  await go({ ...state, offset: 100 });
  await reply('');
  expect(setOffset.mock.calls).toEqual([[75, true]]);
  await go({ ...state, offset: 75 });
  await reply('');
  expect(setOffset.mock.calls).toEqual([[75, true], [50, true]]);
});
