import { expect, it } from 'vitest';
import { driverState, initials, seenAgo } from './freshness';

// Defaults of the server.
const FRESH = { onlineMs: 120_000, staleMs: 600_000 };
const now = Date.parse('2026-11-20T07:04:00Z');
const state = (secondsAgo: number, speedKmh: number | null, motion: boolean | null = null) =>
  driverState({ speedKmh, motion }, now - secondsAgo * 1000, now, FRESH);

it('takes nobody for live whose last position is two minutes old, however fast it was', () => {
  expect(state(0, 31)).toBe('moving');
  expect(state(119, 31)).toBe('moving');
  expect(state(120, 31)).toBe('stale');
  expect(state(599, 31)).toBe('stale');
  expect(state(600, 31)).toBe('offline');
  // The device's clock is ahead.
  expect(state(-30, 31)).toBe('moving');
});

it('goes by the settings of the office', () => {
  const patient = { onlineMs: 900_000, staleMs: 1_800_000 };
  const after = (seconds: number) =>
    driverState({ speedKmh: 31, motion: null }, now - seconds * 1000, now, patient);
  expect([899, 900, 1799, 1800].map(after)).toEqual(['moving', 'stale', 'stale', 'offline']);
});

it('tells driving from standing, by speed or by what the device says of itself', () => {
  expect(state(5, 1.2)).toBe('stop');
  expect(state(5, 1.2, true)).toBe('stop');
  expect(state(5, null, true)).toBe('moving');
  expect(state(5, null, false)).toBe('stop');
  expect(state(5, null)).toBe('stop');
});

it('says when somebody was seen', () => {
  const said = (seconds: number) => seenAgo(now - seconds * 1000, now);
  expect([-3, 0, 5, 23, 59, 60, 179, 3599, 3600, 86_399, 86_400, 200_000].map(said)).toEqual([
    'just now', 'just now', '5 s ago', '20 s ago', '55 s ago', '1 min ago', '2 min ago',
    '59 min ago', '1 h ago', '23 h ago', '1 day ago', '2 days ago',
  ]);
});

it('shortens names to two letters', () => {
  expect(['Rico Santos', 'Marites Dela Cruz', 'ñino', '  ', 'Ana  Reyes '].map(initials)).toEqual([
    'RS', 'MC', 'Ñ', '?', 'AR',
  ]);
});
