import { useEffect, useMemo, useRef, useState } from 'react';
import { useClient } from 'urql';
import { UNCACHED } from '@/data/client';
import { deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants } from '@/lib/dates';
import { useToday } from './freshness';
import { oneAtATime } from './one-at-a-time';
import { driverDaysQuery } from './queries';

/** Maximum number of IDs per query. */
const MAX_IDS = 1000;
const PACE_MS = 15_000;

export interface Progress {
  total: number;
  done: number;
}

/** Replaces the progress of some drivers. Those without deliveries have none. */
function withDays(
  known: ReadonlyMap<string, Progress>,
  driverIds: readonly string[],
  days: readonly (Progress & { driverId: string })[],
): ReadonlyMap<string, Progress> {
  const next = new Map(known);
  for (const driverId of driverIds) next.delete(driverId);
  for (const day of days) next.set(day.driverId, day);
  return next;
}

/**
 * Loads each driver's progress with today's deliveries, and again when deliveries change. Where that fails, keeps the last
 * one. Empty until loaded.
 */
export function useDriverDays(driverIds: readonly string[]): ReadonlyMap<string, Progress> {
  const client = useClient();
  const timeZone = useTimeZone();
  const today = useToday(timeZone);
  // Compared by content: callers pass a new array whenever a driver moves.
  const key = driverIds.join('\n');
  const asked = useMemo(() => {
    const [from, to] = dayRangeToInstants({ from: today, to: today }, timeZone);
    return { driverIds: key === '' ? [] : key.split('\n'), from, to };
  }, [key, today, timeZone]);
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  const latest = useRef(asked);
  const refresh = useRef<() => void>(undefined);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    refresh.current = oneAtATime(signal, async () => {
      const { driverIds: ids, ...range } = latest.current;
      for (let first = 0; first < ids.length; first += MAX_IDS) {
        const block = ids.slice(first, first + MAX_IDS);
        // oxlint-disable-next-line no-await-in-loop -- one at a time, because each query takes the server a while
        const { data } = await client.query(driverDaysQuery, { driverIds: block, ...range }, UNCACHED).toPromise();
        if (signal.aborted) return;
        if (data) setKnown((last) => withDays(last, block, data.driverDays));
      }
    });
    return () => controller.abort();
  }, [client]);

  useEffect(() => {
    latest.current = asked;
    refresh.current?.();
  }, [client, asked]);

  useChanges(deliveriesChangedSubscription, {}, () => refresh.current?.(), {
    pace: PACE_MS,
    enabled: driverIds.length > 0,
  });
  return known;
}
