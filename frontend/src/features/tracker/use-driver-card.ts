import { useMemo } from 'react';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { useKept } from '@/data/use-kept';
import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants } from '@/lib/dates';
import { useToday } from './clock';
import { cardDeliveriesQuery, driverCardQuery } from './queries';

const PACE_MS = 5000;

/** Who a driver is, how far they are today, and what they are at and do next. */
export function useDriverCard(driverId: string, day?: string) {
  const timeZone = useTimeZone();
  const today = useToday(timeZone);
  const shown = day ?? today;
  const variables = useMemo(() => {
    const [from, to] = dayRangeToInstants({ from: shown, to: shown }, timeZone);
    return { driverId, driverIds: [driverId], from, to };
  }, [driverId, shown, timeZone]);
  const [{ data, error }, execute] = useQuery({ query: driverCardQuery, variables });
  useChanges(deliveryChangedSubscription, {}, () => execute({ requestPolicy: 'network-only' }), {
    pace: PACE_MS,
  });
  const kept = useKept(error ? undefined : data, `${driverId} ${shown}`);
  const progress = kept?.driverDays[0];
  const current = progress?.currentDeliveryId ?? '';
  const next = progress?.nextDeliveryId ?? '';
  const [hasCurrent, hasNext] = [current !== '', next !== '' && next !== current];
  const [{ data: named }] = useQuery({
    query: cardDeliveriesQuery,
    variables: { current, hasCurrent, next, hasNext },
    pause: !hasCurrent && !hasNext,
  });
  return {
    driver: kept?.driver,
    progress,
    current: hasCurrent ? named?.current : undefined,
    next: hasNext ? named?.next : undefined,
    error,
    retry: () => execute({ requestPolicy: 'network-only' }),
  };
}
