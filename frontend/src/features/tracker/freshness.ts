import { useMemo, useSyncExternalStore } from 'react';
import { useOfficeRules } from '@/data/use-office-rules';
import { type Day, dayOf } from '@/lib/dates';
import type { Position } from './queries';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let now = Date.now();
let timer: ReturnType<typeof setInterval> | undefined;

/** Told every second, by one clock for everything on the page. */
export function onTick(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= setInterval(() => {
    now = Date.now();
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
  // Nobody listened for a while, in which the clock may also have been set back.
  if (timer === undefined && Math.abs(Date.now() - now) >= TICK_MS) now = Date.now();
  return now;
}

/** The time in milliseconds, a new one every second. */
export function useNow(): number {
  return useSyncExternalStore(onTick, current);
}

/** The day that it is in a zone, and the next one from midnight on. */
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

/** For how long a last position counts, as the settings say. The browser counts by itself, so that a feed that
 * died is not drawn as live. */
export interface Freshness {
  onlineMs: number;
  staleMs: number;
}

/** Slower is standing: a phone on a table wanders a little. */
const MOVING_KMH = 3;

export const DRIVER_STATES = ['moving', 'stop', 'stale', 'offline'] as const;
export type DriverState = (typeof DRIVER_STATES)[number];

type Moved = Pick<Position, 'motion' | 'speedKmh'>;

/** What a driver is doing, by how old the last position is and what it says. */
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

/** '20 s ago', '3 min ago', '2 h ago'; in steps that do not flicker. */
export function seenAgo(at: number, now: number): string {
  const age = Math.max(0, now - at);
  if (age < 5 * SECOND) return 'just now';
  if (age < MINUTE) return `${Math.floor(age / (5 * SECOND)) * 5} s ago`;
  if (age < HOUR) return `${Math.floor(age / MINUTE)} min ago`;
  if (age < DAY) return `${Math.floor(age / HOUR)} h ago`;
  const days = Math.floor(age / DAY);
  return days === 1 ? '1 day ago' : `${days} days ago`;
}

/** 'Marites Dela Cruz' is MC. */
export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const first = Array.from(words[0] ?? '')[0] ?? '?';
  const last = words.length > 1 ? (Array.from(words.at(-1) ?? '')[0] ?? '') : '';
  return (first + last).toUpperCase();
}
