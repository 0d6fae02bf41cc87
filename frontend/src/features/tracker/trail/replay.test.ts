import { expect, it, vi } from 'vitest';
import type { TrailPoint } from './points';
import { createReplay, indexAt, placeAt, stepFrom } from './replay';

const point = (at: number, lat: number, changes: Partial<TrailPoint> = {}): TrailPoint => ({
  at,
  lat,
  lng: 121,
  speedKmh: 20,
  headingDeg: null,
  accuracyM: null,
  ...changes,
});
const hour = 3_600_000;
const points = [point(1000, 14), point(3000, 14.002), point(3000 + hour, 14.1)];

it('finds the point of an instant', () => {
  expect([0, 1000, 2999, 3000, 9 * hour].map((at) => indexAt(points, at))).toEqual([-1, 0, 0, 1, 2]);
  expect(indexAt([], 5)).toBe(-1);
});

it('moves between two points, and stays where nothing was heard', () => {
  expect(placeAt(points, 2000)?.lat).toBeCloseTo(14.001, 9);
  expect(placeAt(points, 2000)?.headingDeg).toBe(0);
  expect(placeAt(points, 0)?.lat).toBe(14);
  expect(placeAt(points, 3000 + hour / 2)?.lat).toBe(14.002);
  expect(placeAt(points, 9 * hour)?.lat).toBe(14.1);
  expect(placeAt([], 0)).toBeUndefined();
});

it('steps from point to point and stays within the day', () => {
  expect(stepFrom(points, 1000, 1)).toBe(3000);
  expect(stepFrom(points, 2000, 1)).toBe(3000);
  expect(stepFrom(points, 2000, -1)).toBe(1000);
  expect(stepFrom(points, 1000, -1)).toBe(1000);
  expect(stepFrom(points, 3000 + hour, 1)).toBe(3000 + hour);
});

it('plays at its speed, ends with the day, and begins anew from there', () => {
  const frames: ((time: number) => void)[] = [];
  const replay = createReplay((run) => frames.push(run));
  const heard = vi.fn();
  replay.subscribe(heard);
  const frame = (time: number) => frames.splice(0).forEach((run) => run(time));
  replay.setRange(0, 10_000);
  replay.setSpeed(20);
  replay.play();
  frame(100);
  frame(116);
  expect(replay.get().at).toBe(16 * 20);
  // The tab slept for a minute; the replay must not jump by that minute at sixty times the speed.
  replay.setSpeed(60);
  replay.seek(0);
  frame(60_116);
  expect(replay.get().at).toBe(10_000);
  expect(replay.get().isPlaying).toBe(false);
  frame(60_132);
  expect(replay.get().at).toBe(10_000);
  replay.play();
  expect(replay.get()).toMatchObject({ at: 0, isPlaying: true });
  replay.pause();
  frame(60_200);
  expect(replay.get().at).toBe(0);
  expect(heard).toHaveBeenCalled();
});

it('keeps its place while today grows, and begins with another day', () => {
  const replay = createReplay(() => undefined);
  replay.setRange(0, 1000);
  replay.seek(600);
  replay.setRange(0, 2000);
  expect(replay.get().at).toBe(600);
  replay.setRange(5000, 9000);
  expect(replay.get().at).toBe(5000);
  replay.seek(99_999);
  expect(replay.get().at).toBe(9000);
});
