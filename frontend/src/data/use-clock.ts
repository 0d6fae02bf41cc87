import { useMemo, useReducer } from 'react';
import { usePolling } from './use-polling';

export const MINUTE_MS = 60_000;

/**
 * Returns the time in milliseconds since the epoch. It is read when `subject` changes, and, unless `isStopped`, every minute
 * while the tab is visible.
 */
export function useClock(subject: unknown, isStopped = false): number {
  const [tick, move] = useReducer((count: number) => count + 1, 0);
  usePolling(move, isStopped ? undefined : MINUTE_MS);
  // oxlint-disable-next-line react/exhaustive-deps -- both trigger a new reading of the clock
  return useMemo(() => Date.now(), [tick, subject]);
}
