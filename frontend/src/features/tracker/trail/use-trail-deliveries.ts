import { useMemo } from 'react';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { useKept } from '@/data/use-kept';
import { type TrailDelivery, trailDeliveriesQuery } from '../queries';
import { eachOnce } from './visits';

/** As many as a page may have. */
const LIMIT = 100;
const NONE: readonly TrailDelivery[] = [];

/** What a driver had to deliver in a range, or did. */
export function useTrailDeliveries(driverId: string, from: string, to: string): readonly TrailDelivery[] {
  const variables = useMemo(() => {
    const of = (key: 'scheduledatetime' | 'deliverydatetime') => ({
      where: [
        { key: 'driverId', operator: 'equals' as const, values: [driverId] },
        { key, operator: 'inDateRange' as const, values: [from, to] },
      ],
      sort: [{ key: 'scheduledatetime', direction: 'asc' as const }],
      limit: LIMIT,
      offset: 0,
    });
    return { planned: of('scheduledatetime'), ended: of('deliverydatetime') };
  }, [driverId, from, to]);
  const [{ data, error }, execute] = useQuery({ query: trailDeliveriesQuery, variables });
  useChanges(deliveryChangedSubscription, {}, () => execute({ requestPolicy: 'network-only' }), { pace: 5000 });
  const kept = useKept(error ? undefined : data, `${driverId} ${from} ${to}`);
  return useMemo(() => (kept ? eachOnce(kept.planned, kept.ended) : NONE), [kept]);
}
