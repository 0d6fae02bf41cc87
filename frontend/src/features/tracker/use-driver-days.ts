import { useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants } from '@/lib/dates';
import { useToday } from './clock';
import { driverDaysQuery } from './queries';

/** As many as one question may name. */
const MAX_IDS = 1000;
const PACE_MS = 15_000;

export interface Progress {
  total: number;
  done: number;
}

/** How far each driver is with today's deliveries; empty where that is not known. */
export function useDriverDays(driverIds: readonly string[]): ReadonlyMap<string, Progress> {
  const timeZone = useTimeZone();
  const key = driverIds.slice(0, MAX_IDS).join('\n');
  const today = useToday(timeZone);
  const variables = useMemo(() => {
    const [from, to] = dayRangeToInstants({ from: today, to: today }, timeZone);
    return { driverIds: key === '' ? [] : key.split('\n'), from, to };
  }, [key, today, timeZone]);
  const [{ data }, execute] = useQuery({
    query: driverDaysQuery,
    variables,
    pause: variables.driverIds.length === 0,
    requestPolicy: 'cache-and-network',
  });
  useChanges(deliveryChangedSubscription, {}, () => execute({ requestPolicy: 'network-only' }), {
    pace: PACE_MS,
    enabled: variables.driverIds.length > 0,
  });
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(() => {
    if (data) setKnown(new Map(data.driverDays.map((day) => [day.driverId, day])));
  }, [data]);
  return known;
}
