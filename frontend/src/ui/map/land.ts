import type { MultiLineString, MultiPolygon } from 'geojson';
import landUrl from './land.json?url';

type Ring = [lng: number, lat: number][];

export interface Land {
  land: MultiPolygon;
  coast: MultiLineString;
}

// Where the land was cut, in `scripts/land.mjs`: no coast runs there.
const CUTS_LNG = new Set([-180, 116, 128, 180]);
const CUTS_LAT = new Set([-85, 4, 21.5, 85]);

/** The outlines of land as lines, without the edges that only cutting made. */
export function coastOf(rings: readonly Ring[]): Ring[] {
  const lines: Ring[] = [];
  for (const ring of rings) {
    let line: Ring = [];
    for (const point of ring) {
      const before = line.at(-1);
      const isCut =
        before !== undefined &&
        ((before[0] === point[0] && CUTS_LNG.has(point[0])) ||
          (before[1] === point[1] && CUTS_LAT.has(point[1])));
      if (isCut) {
        if (line.length > 1) lines.push(line);
        line = [];
      }
      line.push(point);
    }
    if (line.length > 1) lines.push(line);
  }
  return lines;
}

let loading: Promise<Land> | undefined;

async function read(): Promise<Land> {
  const response = await fetch(landUrl);
  if (!response.ok) throw new Error('The land of the map could not be read');
  const land = (await response.json()) as MultiPolygon;
  const coast = coastOf(land.coordinates.flat() as Ring[]);
  return { land, coast: { type: 'MultiLineString', coordinates: coast } };
}

/** Land and coast, read once. */
export function loadLand(): Promise<Land> {
  loading ??= read().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
