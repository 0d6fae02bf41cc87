import { useEffect, useMemo, useReducer } from 'react';
import { isRelativeDate } from './date-values';
import type { Filter } from './filters-codec';

const MINUTE_MS = 60_000;

const isRelative = ({ values }: Filter) => values.some(({ value }) => isRelativeDate(value));

/** Returns the current minute. It advances while a filter depends on it and the tab is visible. */
export function useNow(filters: readonly Filter[]): Date {
  const [tick, move] = useReducer((count: number) => count + 1, 0);
  const moves = filters.some(isRelative);
  useEffect(() => {
    if (!moves) return undefined;
    const look = () => !document.hidden && move();
    const timer = setInterval(look, MINUTE_MS);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [moves]);
  // oxlint-disable-next-line react/exhaustive-deps -- both trigger a new reading of the clock
  return useMemo(() => new Date(Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS), [tick, filters]);
}
