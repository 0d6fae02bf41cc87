import { distanceM, type LatLng } from '@/lib/geo';
import type { DeliveryStatus } from '@/ui/status-chip';
import type { TrailDelivery, TrailPosition } from '../queries';

/** As Traccar has them. */
export const STOP_RADIUS_M = 200;
export const STOP_MS = 180_000;

export interface Stop extends LatLng {
  /** From 1, in time order. */
  number: number;
  from: number;
  to: number;
  /** Of its points in the trail, both included. */
  first: number;
  last: number;
}

const METRES_PER_DEGREE = 111_195;

/** Whether two places lie within metres of each other; exact enough for a few hundred. */
function isNear(a: LatLng, b: LatLng, metres: number): boolean {
  const north = (a.lat - b.lat) * METRES_PER_DEGREE;
  const east = (a.lng - b.lng) * METRES_PER_DEGREE * Math.cos((a.lat * Math.PI) / 180);
  return north * north + east * east <= metres * metres;
}

/**
 * Where somebody stayed within a radius for long enough, silence included: a phone that sleeps on
 * site and wakes up there was there all the time.
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

/** Metres between two points of the trail; a phone that lies still wanders, which is no way. */
export function wayM(points: readonly TrailPoint[], stops: readonly Stop[], first = 0, last = points.length - 1): number {
  let metres = 0;
  let at = 0;
  for (let index = first + 1; index <= last; index += 1) {
    while (at < stops.length && (stops[at] as Stop).last < index) at += 1;
    const stop = stops[at];
    if (stop && index > stop.first) continue;
    metres += distanceM(points[index - 1] as TrailPoint, points[index] as TrailPoint);
  }
  return metres;
}

/** How far, and how the time between the first and the last point was spent. Silence is neither. */
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

/** One point of the line. */
export interface TrailPoint extends LatLng {
  /** Milliseconds. */
  at: number;
  speedKmh: number | null;
  headingDeg: number | null;
  accuracyM: number | null;
}

export interface Trail {
  /** In time order. */
  points: readonly TrailPoint[];
  /** How many implausible positions were left out, by the reason. */
  flagged: Readonly<Record<string, number>>;
}

export const NO_TRAIL: Trail = { points: [], flagged: {} };

/** Nothing was heard for so long that nobody knows the way. */
export const GAP_MS = 10 * 60_000;

/** The trail with the positions behind it. Flagged ones are counted, and no part of the line. */
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

/** The line in pieces, broken where nothing was heard. */
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
