import { readFileSync } from 'node:fs';
import type { MultiPolygon } from 'geojson';
import { expect, it } from 'vitest';
import { coastOf } from './land';
import { placeFeatures } from './map-style';

const file = readFileSync(new URL('./land.json', import.meta.url), 'utf8');
const land = JSON.parse(file) as MultiPolygon;

it('draws no coast where the land was only cut', () => {
  const cut: [number, number][] = [[116, 5], [117, 5.5], [117, 6], [116, 6.2], [116, 5]];
  expect(coastOf([cut])).toEqual([[[116, 5], [117, 5.5], [117, 6], [116, 6.2]]]);
});

it('has the islands that drivers drive on, and no more than a small file', () => {
  const outer = land.coordinates.map(([ring]) => ring ?? []);
  const within = (lng: number, lat: number) =>
    outer.some((ring) => {
      let isInside = false;
      ring.forEach(([x = 0, y = 0], index) => {
        const [px = 0, py = 0] = ring.at(index - 1) ?? [];
        const crosses = y > lat !== py > lat && lng < ((px - x) * (lat - y)) / (py - y) + x;
        if (crosses) isInside = !isInside;
      });
      return isInside;
    });
  // Quezon City, Cebu and Davao are on land, Manila Bay is not.
  expect(within(121.05, 14.65)).toBe(true);
  expect(within(123.85, 10.33)).toBe(true);
  expect(within(125.55, 7.1)).toBe(true);
  expect(within(120.75, 14.5)).toBe(false);
  expect(file.length).toBeLessThan(200_000);
});

it('names each place once, on the map', () => {
  const names = placeFeatures().features.map(({ properties }) => String(properties?.name));
  expect(new Set(names).size).toBe(names.length);
  expect(names).toContain('Makati');
});
