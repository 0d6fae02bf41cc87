import type { LatLng } from '@/lib/geo';
import type { TrailPosition } from '../queries';

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
