import { useMemo, useSyncExternalStore } from 'react';
import { serverNow } from '@/data/server-clock';
import { useOfficeRules } from '@/data/use-office-rules';
import { type Day, dayOf } from '@/lib/dates';
import type { Position } from './queries';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = serverNow();
let timer: ReturnType<typeof setInterval> | undefined;

/** Calls the listener every second, from one timer shared by the page. */
function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = serverNow();
    for (const each of listeners) each();
  }, TICK_MS);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  };
}

function current(): number {
  // While the timer is stopped, `now` is not updated. Compare both ways, because the clock may have been set.
  if (timer === undefined && Math.abs(serverNow() - now) >= TICK_MS) now = serverNow();
  return now;
}

/** Returns the server's time in milliseconds, updated every second. */
export function useNow(): number {
  return useSyncExternalStore(onTick, current);
}

/** Returns the current day in a time zone, updated at midnight. */
export function useToday(timeZone: string): Day {
  return useSyncExternalStore(onTick, () => dayOf(new Date(current()), timeZone));
}

const SECOND = 1000;

export function useFreshness(): Freshness {
  const { driverOnlineSeconds, driverStaleSeconds } = useOfficeRules();
  return useMemo(
    () => ({ onlineMs: driverOnlineSeconds * SECOND, staleMs: driverStaleSeconds * SECOND }),
    [driverOnlineSeconds, driverStaleSeconds],
  );
}

/**
 * How long a position counts as current, from the settings. The browser checks the age itself, so that a dead
 * connection does not look live.
 */
export interface Freshness {
  onlineMs: number;
  staleMs: number;
}

/** A driver who is slower than this counts as standing, because the GPS positions of a phone at rest drift. */
const MOVING_KMH = 3;

export const DRIVER_STATES = ['moving', 'stop', 'stale', 'offline'] as const;
export type DriverState = (typeof DRIVER_STATES)[number];

type Moved = Pick<Position, 'motion' | 'speedKmh'>;

/** Derives a driver's state from the age and speed of the last position. */
export function driverState(
  position: Moved,
  at: number,
  now: number,
  { onlineMs, staleMs }: Freshness,
): DriverState {
  const age = now - at;
  if (age >= staleMs) return 'offline';
  if (age >= onlineMs) return 'stale';
  if (position.speedKmh !== null) return position.speedKmh > MOVING_KMH ? 'moving' : 'stop';
  return position.motion === true ? 'moving' : 'stop';
}
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** Formats an age as '20 s ago', '3 min ago' or '2 h ago', in coarse steps that do not flicker. */
export function seenAgo(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < 5 * SECOND) return 'just now';
  if (age < MINUTE) return `${Math.floor(age / (5 * SECOND)) * 5} s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  const days = Math.floor(age / DAY);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

/** Returns up to two initials: 'Marites Dela Cruz' is MC. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = Array.from(words[0] ?? '')[0] ?? '?';
  const last = words.length > 1 ? (Array.from(words.at(-1) ?? '')[0] ?? '') : '';
  return (first + last).toUpperCase();
}
