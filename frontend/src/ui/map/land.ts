import type { MultiLineString, MultiPolygon } from 'geojson';
import landUrl from './land.json?url';

type Ring = [lng: number, lat: number][];

export interface Land {
  land: MultiPolygon;
  coast: MultiLineString;
}

// The edges at which `scripts/land.mjs` cut the land. They are not coastline.
const CUTS_LNG = new Set([-180, 116, 128, 180]);
const CUTS_LAT = new Set([-85, 4, 21.5, 85]);

/** Returns land outlines as lines, without edges created by cutting. */
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

/** Loads land and coast once. */
export function loadLand(): Promise<Land> {
  loading ??= read().catch((error: unknown) => {
    loading = undefined;
    throw error;
  });
  return loading;
}
