import type { LatLng } from '@/lib/geo';
import { bearingDeg } from '@/lib/geo';
import { GAP_MS, type TrailPoint } from './points';

export const REPLAY_SPEEDS = [1, 5, 20, 60] as const;
export type ReplaySpeed = (typeof REPLAY_SPEEDS)[number];

export interface ReplayPlace extends LatLng {
  headingDeg: number;
  speedKmh: number | null;
  accuracyM: number | null;
}

/** Index of the last point that is not after an instant; -1 before the first. */
export function indexAt(points: readonly TrailPoint[], at: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle] as TrailPoint).at <= at) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** Where the driver was at an instant: between two points on the way, where nothing was heard at the last. */
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

/** When the next or the previous point was. */
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
  /** The day grew, or another one is shown. */
  setRange: (from: number, to: number) => void;
}

type Frame = (run: (time: number) => void) => void;

/** A longer pause between two frames is a tab that slept, which is no time of the replay. */
const LONGEST_FRAME_MS = 250;

/** The clock of a replay, outside of React: it ticks with every frame. */
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
      // From the end there is nothing left: the day begins anew.
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
