import { useEffect, useMemo, useRef, useState } from 'react';
import { type Client, useClient } from 'urql';
import { deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants } from '@/lib/dates';
import { useToday } from './freshness';
import { driverDaysQuery } from './queries';

/** Maximum number of IDs per query. */
const MAX_IDS = 1000;
const PACE_MS = 15_000;

export interface Progress {
  total: number;
  done: number;
}

interface Asked {
  driverIds: readonly string[];
  from: string;
  to: string;
}

async function readDays(client: Client, { driverIds, from, to }: Asked): Promise<ReadonlyMap<string, Progress>> {
  const days = new Map<string, Progress>();
  for (let first = 0; first < driverIds.length; first += MAX_IDS) {
    const variables = { driverIds: driverIds.slice(first, first + MAX_IDS), from, to };
    // oxlint-disable-next-line no-await-in-loop -- one at a time, because each query takes the server a while
    const { data, error } = await client
      .query(driverDaysQuery, variables, { requestPolicy: 'network-only' })
      .toPromise();
    if (!data) throw error ?? new Error('no answer');
    for (const day of data.driverDays) days.set(day.driverId, day);
  }
  return days;
}

/**
 * Loads each driver's progress with today's deliveries, and again when deliveries change. If that fails, keeps the last
 * one. Empty until loaded.
 */
export function useDriverDays(driverIds: readonly string[]): ReadonlyMap<string, Progress> {
  const client = useClient();
  const timeZone = useTimeZone();
  const today = useToday(timeZone);
  // Compared by content: callers pass a new array whenever a driver moves.
  const key = driverIds.join('\n');
  const asked = useMemo((): Asked => {
    const [from, to] = dayRangeToInstants({ from: today, to: today }, timeZone);
    return { driverIds: key === '' ? [] : key.split('\n'), from, to };
  }, [key, today, timeZone]);
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  const latest = useRef(asked);
  const refresh = useRef<() => void>(undefined);

  useEffect(() => {
    let isOver = false;
    let isReading = false;
    let isDue = false;

    async function read() {
      // A read is never cancelled by the next one: while drivers keep appearing, none would ever finish.
      isDue = isReading;
      if (isReading) return;
      isReading = true;
      const days = await readDays(client, latest.current).catch(() => undefined);
      isReading = false;
      if (isOver) return;
      if (days) setKnown(days);
      if (isDue) void read();
    }
    refresh.current = () => void read();
    return () => {
      isOver = true;
    };
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
