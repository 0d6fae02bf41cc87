import { expect, it } from 'vitest';
import { byState, matching, quietBefore } from './choose-drivers';
import type { Located } from './location-store';

const FRESH = { onlineMs: 120_000, staleMs: 600_000 };
const NOW = Date.parse('2026-11-20T04:00:00Z');
const driver = (driverId: string, age: number, speedKmh: number) =>
  ({ driverId, name: driverId, at: NOW - age, position: { speedKmh, motion: null } }) as unknown as Located;

it('puts those on the road first', () => {
  const offline = driver('a', 3_600_000, 40);
  const stopped = driver('b', 1000, 0);
  const stale = driver('c', 300_000, 40);
  const moving = driver('d', 1000, 40);
  const alsoMoving = driver('e', 2000, 60);
  expect(byState([offline, stopped, stale, moving, alsoMoving], NOW, FRESH)).toEqual([
    moving,
    alsoMoving,
    stopped,
    stale,
    offline,
  ]);
});

it('finds the driver of a delivery whose import spelled the ID in another way', () => {
  const all = [driver('DRV-014', 1000, 0), driver('DRV-015', 1000, 0)];
  const wanted = { named: '', text: 'DR-1184102', withDelivery: new Set(['ｄｒｖ-014']) };
  expect(matching(all, wanted)).toEqual([all[0]]);
});

it('takes a position of last night for one of today until the night is over', () => {
  const startOfToday = Date.parse('2026-11-20T00:00:00Z');
  const lastNight = Date.parse('2026-11-19T23:30:00Z');
  const quiet = (now: string) => quietBefore(Date.parse(now), startOfToday, FRESH.staleMs);
  expect(quiet('2026-11-20T01:00:00Z')).toBeLessThan(lastNight);
  expect(quiet('2026-11-20T05:31:00Z')).toBeGreaterThan(lastNight);
  expect(quiet('2026-11-20T18:00:00Z')).toBe(startOfToday);
});

it('leaves out no driver who still counts as online or stale', () => {
  const now = Date.parse('2026-11-20T18:00:00Z');
  const staleMs = 48 * 3_600_000;
  expect(quietBefore(now, Date.parse('2026-11-20T00:00:00Z'), staleMs)).toBe(now - staleMs);
});
