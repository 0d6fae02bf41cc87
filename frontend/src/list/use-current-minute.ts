import { useMemo } from 'react';
import { MINUTE_MS, useClock } from '@/data/use-clock';
import { isRelativeDate } from './date-values';
import type { Filter } from './filters-codec';

const isRelative = ({ values }: Filter) => values.some(({ value }) => isRelativeDate(value));

/** Returns the current minute. It advances while a filter depends on it and the tab is visible. */
export function useCurrentMinute(filters: readonly Filter[]): Date {
  const minute = Math.floor(useClock(filters, !filters.some(isRelative)) / MINUTE_MS);
  return useMemo(() => new Date(minute * MINUTE_MS), [minute]);
}
