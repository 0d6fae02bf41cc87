import { distanceM } from '@/lib/geo';
import { GAP_MS, type TrailPoint } from './points';
import type { Stop } from './stops';

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
