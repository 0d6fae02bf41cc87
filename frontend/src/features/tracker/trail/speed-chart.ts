import { GAP_MS, type TrailPoint } from './points';

export interface SpeedChart {
  /** The fastest of each slice of the day; null where nothing was heard. */
  buckets: readonly (number | null)[];
  /** A round number above all of them, km/h. */
  top: number;
}

const STEP_KMH = 20;

/** The day in slices of equal length. */
export function speedChart(
  points: readonly TrailPoint[],
  from: number,
  to: number,
  slices: number,
): SpeedChart {
  const buckets = Array.from<number | null>({ length: slices }).fill(null);
  const length = Math.max(1, to - from);
  const sliceOf = (at: number) => Math.min(slices - 1, Math.floor(((at - from) / length) * slices));
  let fastest = 0;
  points.forEach(({ at, speedKmh }, index) => {
    const slice = sliceOf(at);
    const speed = speedKmh ?? 0;
    buckets[slice] = Math.max(buckets[slice] ?? 0, speed);
    fastest = Math.max(fastest, speed);
    const next = points[index + 1];
    if (!next || next.at - at > GAP_MS) return;
    // A device that sends twice a minute was heard in between as well.
    const end = sliceOf(next.at);
    for (let between = slice + 1; between < end; between += 1) {
      const share = (between - slice) / (end - slice);
      buckets[between] = speed + ((next.speedKmh ?? 0) - speed) * share;
    }
  });
  return { buckets, top: Math.max(STEP_KMH, Math.ceil(fastest / STEP_KMH) * STEP_KMH) };
}

/** The slices as closed shapes of an SVG of so many units, one for each stretch that was heard. */
export function areaPath({ buckets, top }: SpeedChart, width: number, height: number): string {
  const wide = width / Math.max(1, buckets.length);
  let path = '';
  let isOpen = false;
  buckets.forEach((speed, index) => {
    const x = (index + 0.5) * wide;
    if (speed === null) {
      if (isOpen) path += `V${height}Z`;
      isOpen = false;
      return;
    }
    const y = (height - (speed / top) * height).toFixed(1);
    path += isOpen ? `L${x.toFixed(1)},${y}` : `M${x.toFixed(1)},${height}V${y}`;
    isOpen = true;
  });
  return isOpen ? `${path}V${height}Z` : path;
}

const HOUR_MS = 3_600_000;

/** Whole hours for the axis, at most so many. */
export function hourMarks(from: number, to: number, most = 12): number[] {
  const every = Math.max(1, Math.ceil((to - from) / HOUR_MS / most)) * HOUR_MS;
  const marks: number[] = [];
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) marks.push(at);
  return marks;
}
