import type { ExpressionSpecification, LayerSpecification, SourceSpecification, StyleSpecification } from 'maplibre-gl';
import type { Land } from './land';
import type { Palette } from './palette';
import { inlandWater, placeFeatures } from './places';
import { streetLayers } from './street-layers';
import type { TileArchive } from './tile-archive';

/** What the operator named to lie under everything; without an address, land and coast alone do. */
export interface MapSource {
  styleUrl: string;
  /** Of pictures, with {z}, {x} and {y}; or of one file with all tiles, which ends in .pmtiles. */
  tileUrl: string;
  attribution: string;
}

/** No server of letters is named anywhere: without one, the map draws them from the page's own font. */
export const FONT = ['Inter Variable'];

const named: ExpressionSpecification = ['<=', ['get', 'from'], ['zoom']];

function labels(palette: Palette): LayerSpecification[] {
  const look = { 'text-halo-color': palette.halo, 'text-halo-width': 1.4 };
  return [
    {
      id: 'water-names',
      type: 'symbol',
      source: 'places',
      filter: ['all', ['==', ['get', 'kind'], 'water'], named],
      layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 12, 'text-letter-spacing': 0.06 },
      paint: { 'text-color': palette.waterLabel, 'text-halo-color': palette.water, 'text-halo-width': 1 },
    },
    {
      id: 'town-names',
      type: 'symbol',
      source: 'places',
      filter: ['all', ['==', ['get', 'kind'], 'town'], named],
      layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 11.5, 'text-padding': 4 },
      paint: { 'text-color': palette.label, ...look },
    },
    {
      id: 'city-names',
      type: 'symbol',
      source: 'places',
      filter: ['all', ['==', ['get', 'kind'], 'city'], named],
      layout: { 'text-field': ['get', 'name'], 'text-font': FONT, 'text-size': 13.5, 'text-padding': 4 },
      paint: { 'text-color': palette.label, ...look },
    },
  ];
}

/** The operator's tiles, and the layers that show them; none: the names of the map's own. */
function tilesOf(
  palette: Palette,
  tileUrl: string,
  archive: TileArchive | undefined,
): { source: SourceSpecification | undefined; layers: LayerSpecification[] } {
  if (archive?.kind === 'streets') {
    return { source: { type: 'vector', url: archive.url }, layers: streetLayers('tiles', palette, FONT) };
  }
  const layers: LayerSpecification[] = [{ id: 'tiles', type: 'raster', source: 'tiles' }];
  if (archive) return { source: { type: 'raster', url: archive.url, tileSize: 256 }, layers };
  if (tileUrl) return { source: { type: 'raster', tiles: [tileUrl], tileSize: 256, maxzoom: 19 }, layers };
  return { source: undefined, layers: labels(palette) };
}

/** Land and coast in the colours of the theme, with the operator's tiles over them or else with names. */
export function mapStyle(
  palette: Palette,
  land: Land,
  { tileUrl, attribution }: Pick<MapSource, 'tileUrl' | 'attribution'>,
  archive?: TileArchive,
): StyleSpecification {
  const credit = 'Coast: Natural Earth';
  const tiles = tilesOf(palette, tileUrl, archive);
  return {
    version: 8,
    sources: {
      land: { type: 'geojson', data: land.land, attribution: attribution || credit },
      coast: { type: 'geojson', data: land.coast },
      lakes: { type: 'geojson', data: inlandWater },
      places: { type: 'geojson', data: placeFeatures() },
      ...(tiles.source && { tiles: tiles.source }),
    },
    layers: [
      { id: 'water', type: 'background', paint: { 'background-color': palette.water } },
      { id: 'land', type: 'fill', source: 'land', paint: { 'fill-color': palette.land, 'fill-antialias': false } },
      { id: 'lakes', type: 'fill', source: 'lakes', paint: { 'fill-color': palette.water, 'fill-outline-color': palette.coast } },
      { id: 'coast', type: 'line', source: 'coast', paint: { 'line-color': palette.coast, 'line-width': 1 } },
      ...tiles.layers,
    ],
  };
}
