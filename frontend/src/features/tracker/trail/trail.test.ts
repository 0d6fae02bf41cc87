import { expect, it } from 'vitest';
import { trailPosition } from '@/test/tracker';
import type { TrailDelivery } from '../queries';
import {
  customerAt,
  eachOnce,
  findStops,
  NO_TRAIL,
  pieces,
  pinDeliveries,
  totalsOf,
  type TrailPoint,
  withPositions,
  worstStatus,
} from './points';
import { areaPath, hourMarks, speedChart } from './replay';

const start = Date.parse('2026-11-20T00:00:00Z');
const minute = 60_000;
/** Degrees of latitude per meter: one degree is about 111.2 km. */
const meters = (count: number) => count / 111_195;

const point = (minutes: number, north: number, changes: Partial<TrailPoint> = {}): TrailPoint => ({
  at: start + minutes * minute,
  lat: 14.5 + meters(north),
  lng: 121,
  speedKmh: 30,
  headingDeg: null,
  accuracyM: 8,
  ...changes,
});

/** Ten minutes of driving at 500 m per minute, five minutes on site, ten of driving. */
const day = [
  ...Array.from({ length: 11 }, (_, at) => point(at, at * 500)),
  ...Array.from({ length: 5 }, (_, at) => point(11 + at, 5000 + (at % 2) * 40, { speedKmh: 0 })),
  ...Array.from({ length: 10 }, (_, at) => point(16 + at, 5500 + at * 500)),
];

it('finds a stop of three minutes within two hundred meters, and no shorter or wider one', () => {
  const stops = findStops(day);
  expect(stops).toHaveLength(1);
  expect(stops[0]).toMatchObject({ number: 1, from: start + 10 * minute, to: start + 15 * minute });
  expect(stops[0]?.lat).toBeCloseTo(14.5 + meters(5013), 4);
  // A red light is not a stop.
  expect(findStops([point(0, 0), point(2.9, 10), point(4, 900)])).toEqual([]);
  expect(findStops([point(0, 0), point(3, 10), point(4, 900)])).toHaveLength(1);
  // The driver walks and leaves the radius.
  expect(findStops([point(0, 0), point(1, 150), point(2, 300), point(3, 450)])).toEqual([]);
  expect(findStops([])).toEqual([]);
});

it('takes a phone that slept on site for one that stayed there', () => {
  const stops = findStops([point(0, 0), point(60, 20), point(61, 900)]);
  expect(stops).toMatchObject([{ from: start, to: start + 60 * minute }]);
});

it('adds up the way without the wandering at a stop, and the time without silence', () => {
  const stops = findStops(day);
  const { distanceM, drivingMs, stoppedMs } = totalsOf(day, stops);
  // The driver covers 5,000 m before the stop, one step out of it, and 4,500 m after it.
  expect(distanceM).toBeGreaterThan(9_900);
  expect(distanceM).toBeLessThan(10_010);
  expect(stoppedMs).toBe(5 * minute);
  expect(drivingMs).toBe(20 * minute);
  const silent = [...day, point(120, 40_000), point(121, 40_500)];
  expect(totalsOf(silent, findStops(silent)).drivingMs).toBe(21 * minute);
  expect(totalsOf([], [])).toEqual({ distanceM: 0, drivingMs: 0, stoppedMs: 0 });
});

it('keeps flagged positions out of the line and counts them by their reason', () => {
  const trail = withPositions(
    withPositions(NO_TRAIL, [
      trailPosition('2026-11-20T00:00:00Z', 14.5, 121),
      trailPosition('2026-11-20T00:00:10Z', 0, 0, { valid: false, filteredReason: 'zero_island' }),
    ]),
    [
      trailPosition('2026-11-20T00:00:20Z', 15, 121, { valid: false, filteredReason: 'max_speed' }),
      trailPosition('2026-11-20T00:00:30Z', 15, 121, { valid: false, filteredReason: 'max_speed' }),
      trailPosition('2026-11-20T00:00:40Z', 14.51, 121),
    ],
  );
  expect(trail.points.map(({ lat }) => lat)).toEqual([14.5, 14.51]);
  expect(trail.flagged).toEqual({ zero_island: 1, max_speed: 2 });
});

it('breaks the line where nothing was heard', () => {
  const parts = pieces([point(0, 0), point(9, 100), point(20, 200), point(21, 300)]);
  expect(parts.map(({ length }) => length)).toEqual([2, 2]);
});

function delivery(id: string, minutes: number | null, changes: Partial<TrailDelivery> = {}): TrailDelivery {
  return {
    id,
    customername: 'Bayan Mart',
    customeraddress: 'Ayala Avenue',
    deliverystatus: minutes === null ? 'Pending' : 'Complete_No_Variance',
    scheduledatetime: '2026-11-20T00:00:00Z',
    outcomeOccurredAt: minutes === null ? null : new Date(start + minutes * minute).toISOString(),
    outcomePoint: null,
    addressPoint: null,
    ...changes,
  };
}

const period = { from: start, to: start + 24 * 60 * minute };

it('pins each delivery to the stop at which it ended', () => {
  const stops = findStops([
    ...[0, 1, 2, 3].map((at) => point(at, 0)),
    point(5, 2000),
    ...[8, 9, 10, 11, 12].map((at) => point(at, 5000)),
  ]);
  const all = [
    delivery('B', 12.5),
    delivery('A', 2),
    delivery('C', 5.5),
    delivery('E', null, { scheduledatetime: '2026-11-20T05:00:00Z' }),
    delivery('D', null, { scheduledatetime: '2026-11-20T04:00:00Z' }),
  ];
  const { byStop, elsewhere, open } = pinDeliveries(eachOnce(all, all), stops, period);
  expect([...byStop].map(([number, found]) => [number, found.map(({ id }) => id)])).toEqual([
    [1, ['A']],
    [2, ['B']],
  ]);
  expect(elsewhere.map(({ id }) => id)).toEqual(['C']);
  expect(open.map(({ id }) => id)).toEqual(['D', 'E']);
  expect(worstStatus([delivery('A', 1), delivery('B', 1, { deliverystatus: 'Undelivered' })])).toBe('Undelivered');
  expect(worstStatus([])).toBeUndefined();
});

it('leaves out what ended on another day, unless at a stop that lasts until midnight', () => {
  const stops = findStops([point(-5, 0), point(-1, 10), point(1, 900)]);
  const planned = [delivery('A', 0.5), delivery('B', 24 * 60), delivery('C', -24 * 60)];
  const { byStop, elsewhere, open } = pinDeliveries(planned, stops, period);
  expect([...byStop.values()].flat().map(({ id }) => id)).toEqual(['A']);
  expect([elsewhere, open]).toEqual([[], []]);
  expect(pinDeliveries(planned, [], period).elsewhere.map(({ id }) => id)).toEqual(['A']);
});

it('names the customer at a stop: of a delivery that ended there, else of an address nearby', () => {
  const stops = findStops([
    ...[0, 1, 2, 3].map((at) => point(at, 0)),
    ...[8, 9, 10, 11].map((at) => point(at, 5000)),
    ...[15, 16, 17, 18].map((at) => point(at, 9000)),
  ]);
  const at = (north: number) => ({ lat: 14.5 + meters(north), lng: 121 });
  const visits = pinDeliveries(
    [
      delivery('A', 2, { customername: 'Far', addressPoint: at(900) }),
      delivery('B', 2, { customername: 'Near', addressPoint: at(40) }),
      delivery('C', null, { customername: 'Later', addressPoint: at(5200) }),
      delivery('D', null, { customername: 'Elsewhere', addressPoint: at(9400) }),
    ],
    stops,
    period,
  );
  expect(stops.map((stop) => customerAt(stop, visits))).toEqual(['Near', 'Later', undefined]);
});

it('draws the speeds of a day, with a hole where nothing was heard', () => {
  const points = [point(0, 0), point(2, 0, { speedKmh: 50 }), point(20, 0)];
  const chart = speedChart(points, start, start + 20 * minute, 20);
  expect(chart).toEqual({ buckets: [30, 40, 50, ...Array.from({ length: 16 }, () => null), 30], top: 60 });
  expect(areaPath(chart, 200, 60)).toBe('M5.0,60V30.0L15.0,20.0L25.0,10.0V60ZM195.0,60V30.0V60Z');
  expect(speedChart([], start, start, 3)).toEqual({ buckets: [null, null, null], top: 20 });
});

it('marks whole hours, and not too many of them', () => {
  expect(hourMarks(start + 5 * minute, start + 185 * minute)).toEqual([1, 2, 3].map((at) => start + at * 60 * minute));
  expect(hourMarks(start, start + 24 * 60 * minute).length).toBeLessThanOrEqual(13);
});
