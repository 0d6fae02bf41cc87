import { distanceM, type LatLng } from '@/lib/geo';
import type { DeliveryStatus } from '@/ui/status-chip';
import type { TrailDelivery, TrailPosition } from '../queries';

/** The radius and the minimum duration of a stop, the same as in Traccar. */
const STOP_RADIUS_M = 200;
const STOP_MS = 180_000;

export interface Stop extends LatLng {
  /** Starts at 1, in time order. */
  number: number;
  from: number;
  to: number;
  /** Index of the first and last point in the trail, inclusive. */
  first: number;
  last: number;
}

const METERS_PER_DEGREE = 111_195;

/** Whether two positions are within a distance in meters. Accurate up to a few hundred meters. */
function isNear(a: LatLng, b: LatLng, meters: number): boolean {
  const north = (a.lat - b.lat) * METERS_PER_DEGREE;
  const east = (a.lng - b.lng) * METERS_PER_DEGREE * Math.cos((a.lat * Math.PI) / 180);
  return north * north + east * east <= meters * meters;
}

/**
 * Finds stops: periods of at least `leastMs` in which the driver stays within `radiusM`. A gap in time belongs to a
 * stop if the positions around the gap are close, because a phone may sleep during a stop.
 */
export function findStops(
  points: readonly TrailPoint[],
  radiusM = STOP_RADIUS_M,
  leastMs = STOP_MS,
): Stop[] {
  const stops: Stop[] = [];
  let first = 0;
  while (first < points.length) {
    const anchor = points[first] as TrailPoint;
    let last = first;
    while (last + 1 < points.length && isNear(anchor, points[last + 1] as TrailPoint, radiusM)) last += 1;
    const until = points[last] as TrailPoint;
    if (until.at - anchor.at < leastMs) {
      first += 1;
      continue;
    }
    const own = points.slice(first, last + 1);
    stops.push({
      number: stops.length + 1,
      from: anchor.at,
      to: until.at,
      lat: own.reduce((sum, { lat }) => sum + lat, 0) / own.length,
      lng: own.reduce((sum, { lng }) => sum + lng, 0) / own.length,
      first,
      last,
    });
    first = last + 1;
  }
  return stops;
}

export interface Totals {
  distanceM: number;
  drivingMs: number;
  stoppedMs: number;
}

/** Length of the trail between two points in meters, ignoring GPS drift at stops. */
export function wayM(points: readonly TrailPoint[], stops: readonly Stop[], first = 0, last = points.length - 1): number {
  let meters = 0;
  let at = 0;
  for (let index = first + 1; index <= last; index += 1) {
    while (at < stops.length && (stops[at] as Stop).last < index) at += 1;
    const stop = stops[at];
    if (stop && index > stop.first) continue;
    meters += distanceM(points[index - 1] as TrailPoint, points[index] as TrailPoint);
  }
  return meters;
}

/** Sums the distance, the driving time and the stopped time. Gaps outside of stops count as neither. */
export function totalsOf(points: readonly TrailPoint[], stops: readonly Stop[]): Totals {
  const stoppedMs = stops.reduce((sum, { from, to }) => sum + to - from, 0);
  let drivingMs = 0;
  let at = 0;
  for (let index = 1; index < points.length; index += 1) {
    while (at < stops.length && (stops[at] as Stop).last < index) at += 1;
    const stop = stops[at];
    if (stop && index > stop.first) continue;
    const between = (points[index] as TrailPoint).at - (points[index - 1] as TrailPoint).at;
    if (between <= GAP_MS) drivingMs += between;
  }
  return { distanceM: wayM(points, stops), drivingMs, stoppedMs };
}

/**
 * A delivery belongs to a stop if it ended up to this long before or after it, since drivers often enter the
 * outcome just after leaving.
 */
const SLACK_MS = 2 * 60_000;

/** In milliseconds since the epoch: `from` is inclusive, `to` exclusive. */
export interface Period {
  from: number;
  to: number;
}

export interface Visits {
  /** Deliveries by stop number, ordered by time of outcome. */
  byStop: ReadonlyMap<number, readonly TrailDelivery[]>;
  /** Deliveries that ended in the period, but away from any stop. */
  elsewhere: readonly TrailDelivery[];
  /** Deliveries without an outcome, in planned order. */
  open: readonly TrailDelivery[];
}

const endedAt = ({ outcomeOccurredAt }: TrailDelivery) =>
  outcomeOccurredAt === null ? undefined : Date.parse(outcomeOccurredAt);

/** Merges lists of deliveries without duplicates. */
export function eachOnce(...lists: (readonly TrailDelivery[])[]): TrailDelivery[] {
  return [...new Map(lists.flat().map((delivery) => [delivery.id, delivery])).values()];
}

/**
 * Assigns each delivery to the stop during which it ended, or to the stop nearest in time within `SLACK_MS`. Leaves out
 * those that ended outside of the period, because its positions cannot show where.
 */
export function pinDeliveries(
  deliveries: readonly TrailDelivery[],
  stops: readonly Stop[],
  period: Period,
): Visits {
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
    } else if (at >= period.from && at < period.to) elsewhere.push(delivery);
  }
  const open = deliveries
    .filter(({ deliverystatus }) => deliverystatus === 'Pending')
    .toSorted((a, b) => a.scheduledatetime.localeCompare(b.scheduledatetime));
  return { byStop, elsewhere, open };
}

/** Addresses farther from a stop do not belong to it. */
const PLACE_M = 300;

function nearestTo(stop: LatLng, deliveries: readonly TrailDelivery[]) {
  const [nearest] = deliveries
    .flatMap((delivery) => {
      const at = delivery.addressPoint ?? delivery.outcomePoint;
      return at ? [{ delivery, meters: distanceM(stop, at) }] : [];
    })
    .toSorted((a, b) => a.meters - b.meters);
  return nearest;
}

/**
 * Returns the customer of the nearest delivery that ended at a stop. If none did, returns the customer of the day's
 * nearest delivery within 300 meters.
 */
export function customerAt(stop: Stop, { byStop, elsewhere, open }: Visits): string | undefined {
  const own = byStop.get(stop.number) ?? [];
  const ended = nearestTo(stop, own)?.delivery ?? own[0];
  if (ended) return ended.customername;
  const near = nearestTo(stop, [...[...byStop.values()].flat(), ...elsewhere, ...open]);
  return near && near.meters <= PLACE_M ? near.delivery.customername : undefined;
}

const WORST_FIRST: readonly DeliveryStatus[] = [
  'Rejected',
  'Undelivered',
  'Complete_With_Variance',
  'Complete_No_Variance',
];

/** Returns the worst status among the deliveries of a stop. */
export function worstStatus(deliveries: readonly TrailDelivery[]): DeliveryStatus | undefined {
  return WORST_FIRST.find((status) => deliveries.some(({ deliverystatus }) => deliverystatus === status));
}

/** One point of the trail. */
export interface TrailPoint extends LatLng {
  /** Milliseconds since the epoch. */
  at: number;
  speedKmh: number | null;
  headingDeg: number | null;
  accuracyM: number | null;
}

export interface Trail {
  /** The shown points in time order. */
  points: readonly TrailPoint[];
  /** Number of implausible positions that were left out, by reason. */
  flagged: Readonly<Record<string, number>>;
}

export const NO_TRAIL: Trail = { points: [], flagged: {} };

/** A longer gap breaks the line, because the route is unknown. */
export const GAP_MS = 10 * 60_000;

/** Adds positions to a trail. Flagged positions are counted, but are not part of the line. */
export function withPositions(trail: Trail, positions: readonly TrailPosition[]): Trail {
  const points = [...trail.points];
  const flagged: Record<string, number> = { ...trail.flagged };
  for (const position of positions) {
    const { occurredAt, lat, lng, speedKmh, headingDeg, accuracyM, valid, filteredReason } = position;
    if (valid) points.push({ at: Date.parse(occurredAt), lat, lng, speedKmh, headingDeg, accuracyM });
    else {
      const reason = filteredReason ?? 'other';
      flagged[reason] = (flagged[reason] ?? 0) + 1;
    }
  }
  return { points, flagged };
}

/** Splits the line at gaps. */
export function pieces(points: readonly TrailPoint[]): TrailPoint[][] {
  const found: TrailPoint[][] = [];
  let piece: TrailPoint[] = [];
  for (const point of points) {
    const before = piece.at(-1);
    if (before && point.at - before.at > GAP_MS) {
      found.push(piece);
      piece = [];
    }
    piece.push(point);
  }
  if (piece.length > 0) found.push(piece);
  return found;
}
