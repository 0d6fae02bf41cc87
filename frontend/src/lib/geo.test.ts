import { expect, it } from 'vitest';
import { bearingDeg, compassPoint, distanceM, formatDistance } from './geo';

const manila = { lat: 14.5995, lng: 120.9842 };
const cebu = { lat: 10.3157, lng: 123.8854 };

it('measures a known distance within a thousandth', () => {
  expect(distanceM(manila, cebu)).toBeGreaterThan(570_000);
  expect(distanceM(manila, cebu)).toBeLessThan(573_000);
  expect(distanceM({ lat: 0, lng: 0 }, { lat: 0, lng: 1 })).toBeCloseTo(111_195, -1);
  expect(distanceM(manila, manila)).toBe(0);
});

it('knows which way is which', () => {
  expect(bearingDeg({ lat: 0, lng: 0 }, { lat: 1, lng: 0 })).toBeCloseTo(0);
  expect(bearingDeg({ lat: 0, lng: 0 }, { lat: 0, lng: 1 })).toBeCloseTo(90);
  expect(bearingDeg({ lat: 0, lng: 0 }, { lat: 0, lng: -1 })).toBeCloseTo(270);
  expect([0, 11, 12, 200, 292, 349, 360, -90].map(compassPoint)).toEqual([
    'N', 'N', 'NNE', 'SSW', 'WNW', 'N', 'N', 'W',
  ]);
});

it('writes distances as people say them', () => {
  expect(formatDistance(0)).toBe('0 m');
  expect(formatDistance(842.4)).toBe('842 m');
  expect(formatDistance(61_430)).toBe('61.4 km');
});
