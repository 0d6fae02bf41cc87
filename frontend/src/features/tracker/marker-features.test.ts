import { expect, it } from 'vitest';
import { location } from '@/test/tracker';
import { markerFeature, markerFeatures } from './marker-features';

const FRESH = { onlineMs: 120_000, staleMs: 600_000 };
const now = Date.parse('2026-11-20T07:04:00Z');
const at = (secondsAgo: number) => now - secondsAgo * 1000;
const located = (driverId: string, secondsAgo: number, changes = {}) => ({
  ...location(driverId, changes),
  at: at(secondsAgo),
});

it('draws an arrow for who moves, and for nobody whose position is old', () => {
  expect(markerFeature(located('DRV-1', 20), now, FRESH).properties).toMatchObject({
    state: 'moving',
    heading: 290,
  });
  expect(markerFeature(located('DRV-1', 20, { speedKmh: 0 }), now, FRESH).properties).toMatchObject({ state: 'stop' });
  for (const [age, state] of [[200, 'stale'], [700, 'offline']] as const) {
    const { properties } = markerFeature(located('DRV-1', age), now, FRESH);
    expect(properties).toMatchObject({ state });
    expect(properties).not.toHaveProperty('heading');
  }
});

it('leaves the selected one to lie above the others', () => {
  const all = [located('DRV-1', 1), located('DRV-2', 1)];
  const { features } = markerFeatures(all, 'DRV-2', now, FRESH);
  expect(features.map(({ properties }) => properties.driverId)).toEqual(['DRV-1']);
  expect(features[0]?.geometry.coordinates).toEqual([121.02, 14.55]);
});
