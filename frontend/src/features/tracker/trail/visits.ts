import type { DeliveryStatus } from '@/ui/statuses';
import type { TrailDelivery } from '../queries';
import type { Stop } from './stops';

/** An outcome is often entered on the way out. */
const SLACK_MS = 2 * 60_000;

export interface Visits {
  /** By the number of the stop, in the order of their outcomes. */
  byStop: ReadonlyMap<number, readonly TrailDelivery[]>;
  /** Ended where no stop was. */
  elsewhere: readonly TrailDelivery[];
  /** Without an outcome, in the order they are planned. */
  open: readonly TrailDelivery[];
}

const endedAt = ({ outcomeOccurredAt }: TrailDelivery) =>
  outcomeOccurredAt === null ? undefined : Date.parse(outcomeOccurredAt);

/** The deliveries of two lists, each once. */
export function eachOnce(...lists: (readonly TrailDelivery[])[]): TrailDelivery[] {
  return [...new Map(lists.flat().map((delivery) => [delivery.id, delivery])).values()];
}

/** Which deliveries ended at which stop: that during which it happened, else the nearest in time. */
export function pinDeliveries(deliveries: readonly TrailDelivery[], stops: readonly Stop[]): Visits {
  const byStop = new Map<number, TrailDelivery[]>();
  const elsewhere: TrailDelivery[] = [];
  const ended = deliveries
    .flatMap((delivery) => {
      const at = endedAt(delivery);
      return delivery.deliverystatus === 'Pending' || at === undefined ? [] : [{ delivery, at }];
    })
    .toSorted((a, b) => a.at - b.at);
  for (const { delivery, at } of ended) {
    const [nearest] = stops
      .map((stop) => ({ stop, away: Math.max(0, stop.from - at, at - stop.to) }))
      .toSorted((a, b) => a.away - b.away);
    if (nearest && nearest.away <= SLACK_MS) {
      byStop.set(nearest.stop.number, [...(byStop.get(nearest.stop.number) ?? []), delivery]);
    } else elsewhere.push(delivery);
  }
  const open = deliveries
    .filter(({ deliverystatus }) => deliverystatus === 'Pending')
    .toSorted((a, b) => a.scheduledatetime.localeCompare(b.scheduledatetime));
  return { byStop, elsewhere, open };
}

const WORST_FIRST: readonly DeliveryStatus[] = [
  'Rejected',
  'Undelivered',
  'Complete_With_Variance',
  'Complete_No_Variance',
];

/** The one status that stands for all of a stop. */
export function worstStatus(deliveries: readonly TrailDelivery[]): DeliveryStatus | undefined {
  return WORST_FIRST.find((status) => deliveries.some(({ deliverystatus }) => deliverystatus === status));
}
