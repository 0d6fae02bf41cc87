import { bearingDeg, type LatLng } from '@/lib/geo';
import { GAP_MS, type TrailPoint } from './points';

export interface SpeedChart {
  /** Maximum speed per slice of the day; null without positions. */
  buckets: readonly (number | null)[];
  /** Upper end of the scale in km/h, rounded up. */
  top: number;
}

const STEP_KMH = 20;

/** Returns the speeds of a day, which it divides into slices of equal length. */
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
    // Interpolate the speed in a short gap between two positions.
    const end = sliceOf(next.at);
    for (let between = slice + 1; between < end; between += 1) {
      const share = (between - slice) / (end - slice);
      buckets[between] = speed + ((next.speedKmh ?? 0) - speed) * share;
    }
  });
  return { buckets, top: Math.max(STEP_KMH, Math.ceil(fastest / STEP_KMH) * STEP_KMH) };
}

/** Builds closed SVG paths, one for each uninterrupted stretch, in a view box of the given size. */
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

/** Returns full hours for the axis, at most `most`. */
export function hourMarks(from: number, to: number, most = 12): number[] {
  const every = Math.max(1, Math.ceil((to - from) / HOUR_MS / most)) * HOUR_MS;
  const marks: number[] = [];
  for (let at = Math.ceil(from / every) * every; at <= to; at += every) marks.push(at);
  return marks;
}

export const REPLAY_SPEEDS = [1, 5, 20, 60] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

export interface ReplayPlace extends LatLng {
  headingDeg: number;
  speedKmh: number | null;
  accuracyM: number | null;
}

/** Returns the index of the last point at or before an instant, or -1 if there is none. */
export function indexAt(points: readonly TrailPoint[], at: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] as TrailPoint).at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Position at an instant: interpolated between two points, or the last point before a gap. */
export function placeAt(points: readonly TrailPoint[], at: number): ReplayPlace | undefined {
  const index = Math.max(0, indexAt(points, at));
  const [from, to] = [points[index], points[index + 1]];
  if (!from) return undefined;
  const { speedKmh, accuracyM } = from;
  const before = points[index - 1] ?? from;
  const headingDeg = from.headingDeg ?? (to ? bearingDeg(from, to) : bearingDeg(before, from));
  const share = to && to.at - from.at <= GAP_MS ? (at - from.at) / (to.at - from.at || 1) : 0;
  const way = Math.min(1, Math.max(0, share));
  return {
    lat: from.lat + ((to?.lat ?? from.lat) - from.lat) * way,
    lng: from.lng + ((to?.lng ?? from.lng) - from.lng) * way,
    headingDeg,
    speedKmh,
    accuracyM,
  };
}

/** Returns the time of the next (`step` is 1) or the previous point. */
export function stepFrom(points: readonly TrailPoint[], at: number, step: 1 | -1): number {
  const index = indexAt(points, at);
  const isOn = points[index]?.at === at;
  const target = step === 1 ? index + 1 : isOn ? index - 1 : index;
  return points[Math.min(points.length - 1, Math.max(0, target))]?.at ?? at;
}

export interface ReplayState {
  at: number;
  isPlaying: boolean;
  speed: ReplaySpeed;
}

export interface Replay {
  get: () => ReplayState;
  subscribe: (listener: () => void) => () => void;
  play: () => void;
  pause: () => void;
  seek: (at: number) => void;
  setSpeed: (speed: ReplaySpeed) => void;
  /** Called when the day grows or changes. */
  setRange: (from: number, to: number) => void;
}

type Frame = (run: (time: number) => void) => void;

/** A longer interval between frames means that the tab slept. The replay then advances by this time only. */
const LONGEST_FRAME_MS = 250;

/** Clock of a replay, kept outside of React since it ticks every frame. */
export function createReplay(frame: Frame = (run) => requestAnimationFrame(run)): Replay {
  const listeners = new Set<() => void>();
  let range = { from: 0, to: 0 };
  let state: ReplayState = { at: 0, isPlaying: false, speed: 20 };
  let last: number | undefined;

  function set(changes: Partial<ReplayState>) {
    state = { ...state, ...changes };
    for (const listener of listeners) listener();
  }
  const clamp = (at: number) => Math.min(range.to, Math.max(range.from, at));

  function tick(time: number) {
    if (!state.isPlaying) return;
    const passed = Math.min(LONGEST_FRAME_MS, time - (last ?? time));
    last = time;
    const at = clamp(state.at + passed * state.speed);
    set({ at, isPlaying: at < range.to });
    if (state.isPlaying) frame(tick);
  }

  return {
    get: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    play() {
      if (state.isPlaying || range.to <= range.from) return;
      last = undefined;
      // A replay that has reached the end starts over.
      set({ isPlaying: true, at: state.at >= range.to ? range.from : clamp(state.at) });
      frame(tick);
    },
    pause: () => set({ isPlaying: false }),
    seek: (at) => set({ at: clamp(at) }),
    setSpeed: (speed) => set({ speed }),
    setRange(from, to) {
      const isNew = range.from !== from;
      range = { from, to };
      set(isNew ? { at: from, isPlaying: false } : { at: clamp(state.at) });
    },
  };
}
