import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { serverNow } from './server-clock';
import { timedFetch } from './timed-fetch';

const SERVER = new Date('2026-11-20T07:04:00Z');
const minutes = (count: number) => count * 60_000;

/** Sets this computer's clock, and how long each response takes, in milliseconds. */
function start(aheadMs: number, tookMs = 40) {
  vi.setSystemTime(SERVER.getTime() + aheadMs);
  vi.stubGlobal('fetch', () => {
    vi.setSystemTime(Date.now() + tookMs);
    return Promise.resolve(new Response(null, { headers: { date: SERVER.toUTCString() } }));
  });
}
const difference = () => Math.round((serverNow() - Date.now()) / 1000);
const post = () => timedFetch('/graphql', { method: 'POST' });

beforeEach(() => void vi.useFakeTimers());
afterEach(async () => {
  start(0);
  await post();
  vi.unstubAllGlobals();
});

it.each([[minutes(-10), 600], [minutes(3), -180]])('corrects a clock that is %i ms ahead', async (aheadMs, seconds) => {
  start(aheadMs);
  expect(difference()).toBe(0);
  await post();
  expect(Math.abs(difference() - seconds)).toBeLessThanOrEqual(1);
});

it('lets a clock be that is a few seconds wrong', async () => {
  for (const aheadMs of [4000, -3000]) {
    start(aheadMs);
    await post();
    expect(serverNow()).toBe(Date.now());
  }
});

it('stays steady between responses, and follows a clock that is set right', async () => {
  start(minutes(-10));
  await post();
  const before = serverNow() - Date.now();
  start(minutes(-10) + 900);
  await post();
  expect(serverNow() - Date.now()).toBe(before);
  start(0);
  await post();
  expect(serverNow()).toBe(Date.now());
});

it('learns nothing from slow responses, those that a cache may have kept, and those without a date', async () => {
  start(minutes(-10), 2500);
  await post();
  start(minutes(-10));
  await timedFetch('/auth?method=getToken');
  vi.stubGlobal('fetch', () => Promise.resolve(new Response()));
  await post();
  expect(serverNow()).toBe(Date.now());
});
