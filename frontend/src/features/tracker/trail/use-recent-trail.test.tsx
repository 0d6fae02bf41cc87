import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Client, Provider } from 'urql';
import { beforeEach, expect, it, vi } from 'vitest';
import { UNCACHED } from '@/data/client';
import { setHidden } from '@/test/clock';
import { location, trailPosition } from '@/test/tracker';
import { createLocationStore } from '../location-store';
import type { TrailPosition } from '../queries';
import { useRecentTrail } from './use-recent-trail';

const at = (time: string, lng: number) => trailPosition(`2026-11-20T${time}.000Z`, 14.5, lng);
const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

let positions: TrailPosition[];
let asked: (string | undefined)[];
let contexts: unknown[];
let isDown: boolean;

const client = {
  query: (_query: unknown, { from, to, after }: { from: string; to: string; after?: string }, context: unknown) => {
    asked.push(after);
    contexts.push(context);
    const found = positions.filter(({ occurredAt }) => occurredAt >= from && occurredAt < to && occurredAt > (after ?? ''));
    const cursor = found.at(-1)?.occurredAt ?? null;
    const data = { driverPositions: { positions: found, cursor, more: false } };
    return { toPromise: () => Promise.resolve(isDown ? {} : { data }) };
  },
} as unknown as Client;
const wrapper = ({ children }: { children: ReactNode }) => <Provider value={client}>{children}</Provider>;

function render() {
  const store = createLocationStore((run) => run());
  const { result } = renderHook(() => useRecentTrail('DRV-014', store), { wrapper });
  const move = (time: string) => store.apply([location('DRV-014', { occurredAt: `2026-11-20T${time}.000Z` })]);
  return { move, drawn: () => result.current.map(({ lng }) => lng) };
}

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-20T02:00:00Z') });
  positions = [at('01:31:00', 121), at('01:59:00', 121.1)];
  asked = [];
  contexts = [];
  isDown = false;
});

it('draws every position that a phone sent together, and reads on at a pace', async () => {
  const { move, drawn } = render();
  move('01:59:00');
  await pass(5000);
  expect(drawn()).toEqual([121, 121.1]);
  asked = [];

  positions.push(at('02:00:01', 121.2), at('02:00:02', 121.3), at('02:00:03', 121.4));
  for (const time of ['02:00:01', '02:00:02', '02:00:03']) move(time);
  await pass(5000);
  expect(drawn()).toEqual([121, 121.1, 121.2, 121.3, 121.4]);
  expect(asked.length).toBeLessThanOrEqual(2);
  expect(asked[0]).toBe('2026-11-20T01:59:00.000Z');

  await pass(60_000);
  asked = [];
  move('02:01:00');
  await pass(0);
  expect(asked).toHaveLength(1);
  expect(drawn()[0]).toBe(121.1);
});

it('bypasses the cache, since it asks for another range each time', async () => {
  const { move } = render();
  move('01:59:00');
  await pass(60_000);
  expect(contexts.length).toBeGreaterThan(1);
  expect(new Set(contexts)).toEqual(new Set([UNCACHED]));
});

it('keeps the trail when a read fails, and fills the gap later', async () => {
  const { move, drawn } = render();
  await pass(0);
  isDown = true;
  positions.push(at('02:00:05', 121.2), at('02:00:06', 121.3));
  move('02:00:06');
  await pass(10_000);
  expect(drawn()).toEqual([121, 121.1]);
  isDown = false;
  positions.push(at('02:00:20', 121.4));
  move('02:00:20');
  await pass(5000);
  expect(drawn()).toEqual([121, 121.1, 121.2, 121.3, 121.4]);
});

it('draws positions that a phone sends late, also while the driver stands still', async () => {
  const { move, drawn } = render();
  move('01:59:00');
  await pass(5000);
  positions.splice(1, 0, at('01:45:00', 120.5));
  await pass(55_000);
  expect(drawn()).toEqual([121, 120.5, 121.1]);
  asked = [];
  await pass(59_000);
  expect(asked).toEqual([]);
});

it('reads nothing in a hidden tab, and reads on once when the tab is shown again', async () => {
  const { move } = render();
  move('01:59:00');
  await pass(5000);
  setHidden(true);
  asked = [];
  move('02:00:30');
  await pass(60_000);
  expect(asked).toEqual([]);
  setHidden(false);
  await pass(0);
  expect(asked).toHaveLength(1);
});

it('tries a failed read again at a pace', async () => {
  isDown = true;
  const { drawn } = render();
  await pass(4000);
  expect(asked).toHaveLength(1);
  isDown = false;
  await pass(1000);
  expect(drawn()).toEqual([121, 121.1]);
});
