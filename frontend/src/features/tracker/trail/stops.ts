import type { LatLng } from '@/lib/geo';
import type { TrailPoint } from './points';

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
