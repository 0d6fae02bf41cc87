import { act, renderHook } from '@testing-library/react';
import { type ReactNode, useLayoutEffect } from 'react';
import { Provider } from 'urql';
import { afterEach, expect, it, vi } from 'vitest';
import { createGraphqlClient } from '@/data/client';
import { versionList } from '@/test/version-list';
import type { ListState } from './list-state';
import { useListQuery } from './use-list-query';
import { useListSelection } from './use-selection';

const region = { current: null };
const NOT_YET = '2026-11-20T15:58:30Z';

/** Reads a list of deliveries due on `day`, in Manila, whose requests are answered by hand. */
async function open(day: string, selects = true, onShown?: (found: ReturnType<typeof useListSelection<string, unknown>>) => void) {
  let answer: ((response: Response) => void) | undefined;
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    onUnauthenticated: () => undefined,
    fetch: () => new Promise((resolve) => (answer = resolve)),
  });
  const wrapper = ({ children }: { children: ReactNode }) => <Provider value={client}>{children}</Provider>;
  const filter = { key: 'dueAt', operator: 'inDateRange' as const, values: [{ label: day, value: day }] };
  const first: ListState = { filters: [filter], sort: [], limit: 25, offset: 0 };
  const { result, rerender } = renderHook(
    (state: ListState) => {
      const list = useListQuery(versionList, state, 'Asia/Manila');
      const found = useListSelection(versionList, list, { selects, narrow: false, region });
      useLayoutEffect(() => onShown?.(found));
      return found;
    },
    { wrapper, initialProps: first },
  );
  await act(async () => undefined);
  return {
    toggle: (id: string) => act(async () => result.current.selection?.toggle(id, false)),
    selected: () => result.current.chosen,
    known: (...ids: string[]) => result.current.rowsOf(ids),
    reply: (...rows: string[]) =>
      act(async () => answer?.(Response.json({ data: { redwood: { __typename: 'Redwood', version: rows.join(' ') } } }))),
    goTo: (offset: number) => act(async () => rerender({ ...first, offset })),
  };
}

const pass = (ms: number) => act(async () => vi.advanceTimersByTime(ms));
const stopClock = () => vi.useFakeTimers({ now: Date.parse(NOT_YET), toFake: ['Date', 'setInterval', 'clearInterval'] });

afterEach(() => void vi.useRealTimers());

it('selects a row by a key that is pressed as soon as the row is shown', async () => {
  let isPressed = false;
  const { selected, reply } = await open('today', true, (found) => {
    if (isPressed || found.rowsOf(['A']).length === 0) return;
    isPressed = true;
    found.selection?.toggle('A', false);
  });
  await reply('A');
  expect(isPressed).toBe(true);
  expect(selected()).toEqual(['A']);
});

it.each([['today'], ['last7days']])('deselects the rows of "%s" at midnight, and selects none of them afterwards', async (day) => {
  stopClock();
  const { toggle, selected, reply } = await open(day);
  await reply('A', 'B');
  await toggle('A');
  await pass(60_000);
  expect(selected()).toEqual(['A']);
  await pass(60_000);
  expect(selected()).toEqual([]);
  await toggle('B');
  expect(selected()).toEqual([]);
  await reply('C');
  await toggle('C');
  expect(selected()).toEqual(['C']);
});

it.each([['past'], ['thisMonth']])('keeps the selected rows of "%s" while the clock goes on', async (day) => {
  stopClock();
  const { toggle, selected, reply } = await open(day);
  await reply('A', 'B');
  await toggle('A');
  await pass(60_000);
  await reply('A', 'B');
  await pass(60_000);
  await reply('A', 'B', 'C');
  expect(selected()).toEqual(['A']);
});

it('keeps the rows of the page and the selected ones, and no others', async () => {
  const { toggle, selected, known, reply, goTo } = await open('past');
  await reply('A', 'B');
  await toggle('A');
  await goTo(25);
  await reply('C', 'D');
  expect(selected()).toEqual(['A']);
  expect(known('A', 'B', 'C', 'D')).toEqual(['A', 'C', 'D']);
  await toggle('A');
  await goTo(50);
  await reply('E');
  expect(known('A', 'B', 'C', 'D', 'E')).toEqual(['E']);
});

it('keeps no rows of a list without bulk actions', async () => {
  const { known, reply } = await open('past', false);
  await reply('A', 'B');
  expect(known('A', 'B')).toEqual([]);
});
