import { useSyncExternalStore } from 'react';
import { type Day, dayOf } from '@/lib/dates';

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
