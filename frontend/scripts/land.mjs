// Writes the land outlines of the built-in map of drivers, which needs no tile server. They come from Natural
// Earth: detailed around the Philippines, coarse elsewhere. Run it again only after changing the box or the
// detail:
//   node scripts/land.mjs
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { feature } from 'topojson-client';

const require = createRequire(import.meta.url);
const BOX = { west: 116, south: 4, east: 128, north: 21.5 };
const WORLD = { west: -180, south: -85, east: 180, north: 85 };
/** Decimals of a degree: FINE is about 100 meters, finer than the source; COARSE is about ten kilometers. */
const FINE = 3;
const COARSE = 1;

function land(name) {
  const topology = JSON.parse(readFileSync(require.resolve(`world-atlas/${name}.json`), 'utf8'));
  const { features } = feature(topology, topology.objects.land);
  return features.flatMap(({ geometry }) =>
    geometry.type === 'Polygon' ? [geometry.coordinates] : geometry.coordinates,
  );
}

const inside = {
  west: ([x], { west }) => x >= west,
  east: ([x], { east }) => x <= east,
  south: ([, y], { south }) => y >= south,
  north: ([, y], { north }) => y <= north,
};

function crossing([ax, ay], [bx, by], side, box) {
  const at = box[side];
  if (side === 'west' || side === 'east') return [at, ay + ((by - ay) * (at - ax)) / (bx - ax)];
  return [ax + ((bx - ax) * (at - ay)) / (by - ay), at];
}

/** Cuts a ring to a box, one side after the other (Sutherland–Hodgman). */
function clip(ring, box) {
  let points = ring;
  for (const side of Object.keys(inside)) {
    const kept = [];
    points.forEach((point, index) => {
      const before = points.at(index - 1);
      const [isIn, wasIn] = [inside[side](point, box), inside[side](before, box)];
      if (isIn !== wasIn) kept.push(crossing(before, point, side, box));
      if (isIn) kept.push(point);
    });
    points = kept;
    if (points.length === 0) return [];
  }
  return points;
}

/** Removes points that lie closer to the line than the tolerance (Douglas–Peucker). */
function simplified(points, tolerance) {
  if (points.length < 3) return points;
  const [[ax, ay], [bx, by]] = [points[0], points.at(-1)];
  const length = Math.hypot(bx - ax, by - ay);
  let [farthest, most] = [0, tolerance];
  for (let at = 1; at < points.length - 1; at += 1) {
    const [x, y] = points[at];
    const away =
      length === 0
        ? Math.hypot(x - ax, y - ay)
        : Math.abs((bx - ax) * (ay - y) - (ax - x) * (by - ay)) / length;
    if (away > most) [farthest, most] = [at, away];
  }
  if (farthest === 0) return [points[0], points.at(-1)];
  const first = simplified(points.slice(0, farthest + 1), tolerance);
  return [...first.slice(0, -1), ...simplified(points.slice(farthest), tolerance)];
}

function rounded(ring, decimals) {
  const half = Math.floor(ring.length / 2);
  const tolerance = 10 ** -decimals;
  // Simplify the ring in two halves, because it ends where it begins.
  const outline = [
    ...simplified(ring.slice(0, half + 1), tolerance).slice(0, -1),
    ...simplified(ring.slice(half), tolerance),
  ];
  const points = outline.map(([x, y]) => [Number(x.toFixed(decimals)), Number(y.toFixed(decimals))]);
  const distinct = points.filter(([x, y], index) => {
    const [px, py] = points.at(index - 1);
    return x !== px || y !== py;
  });
  return distinct.length < 3 ? undefined : [...distinct, distinct[0]];
}

function polygons(source, box, decimals) {
  return source.flatMap((rings) => {
    const [outer, ...holes] = rings.map((ring) => rounded(clip(ring.slice(0, -1), box), decimals));
    return outer ? [[outer, ...holes.filter(Boolean)]] : [];
  });
}

const around = [
  { ...WORLD, east: BOX.west },
  { ...WORLD, west: BOX.east },
  { west: BOX.west, east: BOX.east, south: WORLD.south, north: BOX.south },
  { west: BOX.west, east: BOX.east, south: BOX.north, north: WORLD.north },
];
const [fine, coarse] = [land('land-10m'), land('land-110m')];
const shapes = [
  ...polygons(fine, BOX, FINE),
  ...around.flatMap((box) => polygons(coarse, box, COARSE)),
];
writeFileSync(
  new URL('../src/ui/map/land.json', import.meta.url),
  `${JSON.stringify({ type: 'MultiPolygon', coordinates: shapes })}\n`,
);
