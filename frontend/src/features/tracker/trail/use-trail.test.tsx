import { act, renderHook } from '@testing-library/react';
import type { ReactNode } from 'react';
import { type Client, Provider } from 'urql';
import { beforeEach, expect, it, vi } from 'vitest';
import { attachLive, type Live } from '@/data/live';
import { setHidden } from '@/test/clock';
import { trailPosition } from '@/test/tracker';
import type { TrailPosition } from '../queries';
import { useTrail, useTrailDeliveries } from './use-trail';

const DAY = { driverId: 'DRV-014', from: '2026-11-19T16:00:00.000Z', to: '2026-11-20T16:00:00.000Z' };
const at = (time: string, changes: Partial<TrailPosition> = {}) =>
  trailPosition(`2026-11-20T${time}.000Z`, 14.5, 121, changes);

let positions: TrailPosition[];
/** Number of pages of positions that were read. */
let reads: number;

/** A client whose queries are answered by a function of their variables. */
function wrapperOf<Variables>(answer: (variables: Variables) => object) {
  const client = {
    query: (_query: unknown, variables: Variables) => ({
      toPromise: () => Promise.resolve({ data: answer(variables) }),
    }),
    subscription: () => ({ subscribe: () => ({ unsubscribe: () => undefined }) }),
  } as unknown as Client;
  attachLive(client, { onReconnect: () => () => undefined } as unknown as Live);
  return ({ children }: { children: ReactNode }) => <Provider value={client}>{children}</Provider>;
}

/** Reads positions in the order of time, like the server; the cursor is the time of the last one. */
const positionsServer = wrapperOf(({ from, to, after = '' }: { from: string; to: string; after?: string }) => {
  reads += 1;
  const found = positions
    .filter(({ occurredAt }) => occurredAt >= from && occurredAt < to && occurredAt > after)
    .toSorted((one, other) => one.occurredAt.localeCompare(other.occurredAt));
  const cursor = found.at(-1)?.occurredAt ?? null;
  return { driverPositions: { positions: found, cursor, more: false } };
});

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

beforeEach(() => {
  vi.useFakeTimers({ now: new Date('2026-11-20T02:00:00Z') });
  reads = 0;
  positions = [at('01:59:00'), at('15:30:00', { valid: false, filteredReason: 'future_time' })];
});

it('goes on behind a position that is dated ahead, and takes in what was sent late', async () => {
  const { result } = renderHook(() => useTrail(DAY), { wrapper: positionsServer });
  const times = () => result.current.trail.points.map((point) => new Date(point.at).toISOString().slice(11, 16));
  await pass(0);
  expect(times()).toEqual(['01:59']);
  expect(result.current).toMatchObject({ status: 'ready', trail: { flagged: { future_time: 1 } } });

  positions.push(at('02:00:10'), at('01:10:00'));
  await pass(15_000);
  expect(times()).toEqual(['01:59', '02:00']);

  await pass(5 * 60_000);
  expect(times()).toEqual(['01:10', '01:59', '02:00']);
  expect(result.current).toMatchObject({ status: 'ready', read: 3, trail: { flagged: { future_time: 1 } } });
});

it('reads no positions in a hidden tab, and reads on once when the tab is shown again', async () => {
  renderHook(() => useTrail(DAY), { wrapper: positionsServer });
  await pass(0);
  setHidden(true);
  reads = 0;
  await pass(60_000);
  expect(reads).toBe(0);
  setHidden(false);
  await pass(0);
  expect(reads).toBe(1);
});

it('reads all deliveries of a day with more than a page of them', async () => {
  interface Asked {
    offset: number;
    limit: number;
  }
  const all = Array.from({ length: 130 }, (_, index) => ({ id: `DR-${index}` }));
  const server = wrapperOf(({ planned, ended }: Record<'planned' | 'ended', Asked>) => ({
    planned: all.slice(planned.offset, planned.offset + planned.limit),
    ended: all.slice(0, 1).slice(ended.offset),
  }));
  const { result } = renderHook(() => useTrailDeliveries(DAY), { wrapper: server });
  await pass(0);
  expect(result.current).toMatchObject({ deliveries: all, hasFailed: false });
});

it('says that deliveries could not be read, and tries again', async () => {
  let isDown = true;
  const found = [{ id: 'DR-1' }];
  const server = wrapperOf(() => {
    if (isDown) throw new Error('down');
    return { planned: found, ended: [] };
  });
  const { result } = renderHook(() => useTrailDeliveries(DAY), { wrapper: server });
  await pass(0);
  expect(result.current).toMatchObject({ deliveries: [], hasFailed: true });
  isDown = false;
  await pass(15_000);
  expect(result.current).toMatchObject({ deliveries: found, hasFailed: false });

  isDown = true;
  act(() => result.current.retry());
  await pass(0);
  expect(result.current).toMatchObject({ deliveries: found, hasFailed: true });
});
