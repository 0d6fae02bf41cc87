import type { FeatureCollection, Polygon } from 'geojson';
import type {
  ExpressionSpecification,
  LayerSpecification,
  SourceSpecification,
  StyleSpecification,
} from 'maplibre-gl';
import type { Land } from './land';
import type { Palette } from './palette';
import type { TileArchive } from './tile-archive';

type Kind = 'city' | 'town' | 'water';

/** `from` is the zoom level from which the name is shown. */
type Place = [name: string, lng: number, lat: number, kind: Kind, from: number];

const places: readonly Place[] = [
  ['Manila', 120.984, 14.596, 'city', 3],
  ['Quezon City', 121.044, 14.651, 'city', 9],
  ['Makati', 121.024, 14.555, 'city', 10],
  ['Taguig', 121.056, 14.519, 'city', 10],
  ['Pasig', 121.083, 14.574, 'city', 10],
  ['Caloocan', 120.983, 14.658, 'town', 10],
  ['Pasay', 120.997, 14.537, 'town', 10.5],
  ['Parañaque', 121.012, 14.484, 'town', 10.5],
  ['Las Piñas', 120.988, 14.45, 'town', 10.5],
  ['Muntinlupa', 121.042, 14.398, 'town', 10.5],
  ['Alabang', 121.034, 14.423, 'town', 11.5],
  ['Mandaluyong', 121.036, 14.582, 'town', 11],
  ['San Juan', 121.031, 14.604, 'town', 11.5],
  ['Marikina', 121.103, 14.65, 'town', 10],
  ['Malabon', 120.957, 14.668, 'town', 11],
  ['Navotas', 120.943, 14.657, 'town', 11],
  ['Valenzuela', 120.973, 14.7, 'town', 10],
  ['Novaliches', 121.042, 14.722, 'town', 11],
  ['Fairview', 121.066, 14.702, 'town', 11.5],
  ['Cubao', 121.053, 14.62, 'town', 11.5],
  ['Tondo', 120.967, 14.614, 'town', 11.5],
  ['San Mateo', 121.122, 14.697, 'town', 11],
  ['Cainta', 121.115, 14.579, 'town', 11],
  ['Taytay', 121.134, 14.557, 'town', 11],
  ['Antipolo', 121.176, 14.587, 'city', 9.5],
  ['Bacoor', 120.942, 14.459, 'town', 10.5],
  ['Imus', 120.937, 14.43, 'town', 10.5],
  ['Dasmariñas', 120.937, 14.329, 'town', 9.5],
  ['San Pedro', 121.047, 14.358, 'town', 10.5],
  ['Biñan', 121.08, 14.341, 'town', 10.5],
  ['Santa Rosa', 121.111, 14.312, 'town', 10],
  ['Calamba', 121.165, 14.212, 'town', 9],
  ['Meycauayan', 120.96, 14.737, 'town', 10.5],
  ['San Jose del Monte', 121.045, 14.814, 'town', 9.5],
  ['Malolos', 120.811, 14.844, 'town', 9],
  ['San Fernando', 120.689, 15.03, 'town', 8.5],
  ['Angeles', 120.589, 15.145, 'city', 7.5],
  ['Olongapo', 120.283, 14.829, 'town', 8],
  ['Tarlac', 120.59, 15.48, 'town', 8],
  ['Cabanatuan', 120.966, 15.486, 'town', 8],
  ['Dagupan', 120.334, 16.043, 'town', 8],
  ['Baguio', 120.596, 16.402, 'city', 6.5],
  ['Laoag', 120.593, 18.197, 'town', 7],
  ['Tuguegarao', 121.727, 17.613, 'town', 7],
  ['Batangas City', 121.058, 13.757, 'city', 7.5],
  ['Lipa', 121.163, 13.942, 'town', 8.5],
  ['Lucena', 121.617, 13.931, 'town', 8],
  ['Naga', 123.195, 13.622, 'city', 7],
  ['Legazpi', 123.743, 13.139, 'town', 7],
  ['Puerto Princesa', 118.735, 9.74, 'city', 6],
  ['Iloilo City', 122.564, 10.72, 'city', 6],
  ['Bacolod', 122.95, 10.667, 'city', 6.5],
  ['Cebu City', 123.885, 10.316, 'city', 5],
  ['Tacloban', 125, 11.244, 'city', 6.5],
  ['Cagayan de Oro', 124.648, 8.482, 'city', 6],
  ['Zamboanga City', 122.079, 6.91, 'city', 6],
  ['General Santos', 125.172, 6.113, 'city', 6.5],
  ['Davao City', 125.609, 7.07, 'city', 5],
  ['Manila Bay', 120.77, 14.55, 'water', 8.5],
  ['Laguna de Bay', 121.135, 14.4, 'water', 9],
  ['Philippine Sea', 126.4, 15.6, 'water', 4.5],
  ['West Philippine Sea', 118.2, 14.6, 'water', 4.5],
  ['Sulu Sea', 120.2, 8.9, 'water', 5],
];

/** Returns place names as point features. */
export function placeFeatures(): FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: places.map(([name, lng, lat, kind, from]) => ({
      type: 'Feature',
      properties: { name, kind, from },
      geometry: { type: 'Point', coordinates: [lng, lat] },
    })),
  };
}

/** Laguna de Bay, which the coastline data lacks. It is drawn by hand, accurate to about a kilometer. */
const lake: [lng: number, lat: number][] = [
  [121.09, 14.527], [121.07, 14.5], [121.056, 14.46], [121.052, 14.41], [121.062, 14.37],
  [121.088, 14.348], [121.117, 14.328], [121.14, 14.29], [121.165, 14.25], [121.18, 14.213],
  [121.21, 14.19], [121.245, 14.183], [121.285, 14.19], [121.32, 14.222], [121.36, 14.255],
  [121.4, 14.288], [121.44, 14.31], [121.465, 14.345], [121.475, 14.378], [121.452, 14.403],
  [121.425, 14.408], [121.4, 14.375], [121.372, 14.345], [121.345, 14.315], [121.322, 14.325],
  [121.318, 14.37], [121.315, 14.42], [121.31, 14.462], [121.285, 14.487], [121.25, 14.497],
  [121.222, 14.48], [121.228, 14.44], [121.238, 14.39], [121.242, 14.34], [121.228, 14.32],
  [121.212, 14.355], [121.2, 14.4], [121.187, 14.445], [121.172, 14.485], [121.145, 14.51],
  [121.118, 14.525], [121.09, 14.527],
];

/** Bodies of water inside the land. */
const inlandWater: Polygon = { type: 'Polygon', coordinates: [lake] };

/** Line widths in pixels, interpolated by zoom. */
function widths(...stops: [zoom: number, width: number][]): ExpressionSpecification {
  return ['interpolate', ['exponential', 1.6], ['zoom'], ...stops.flat()] as ExpressionSpecification;
}

const isKind = (...kinds: string[]): ExpressionSpecification => ['in', ['get', 'kind'], ['literal', kinds]];
const name: ExpressionSpecification = ['coalesce', ['get', 'name:en'], ['get', 'name']];

const roads = [
  { id: 'paths', kinds: ['path', 'other'], from: 14, width: widths([14, 0.5], [18, 3]) },
  { id: 'streets', kinds: ['minor_road'], from: 11, width: widths([11, 0.3], [14, 2], [18, 13]) },
  { id: 'roads', kinds: ['major_road'], from: 7, width: widths([7, 0.4], [12, 2], [18, 18]) },
  { id: 'highways', kinds: ['highway'], from: 4, width: widths([4, 0.5], [12, 3], [18, 22]) },
] as const;

/**
 * Styles streets in the theme's colors for the layers of the Protomaps basemap, version 4
 * (https://docs.protomaps.com/basemaps/layers): earth, landuse, water, buildings, roads, places.
 */
function streetLayers(source: string, palette: Palette, fonts: string[]): LayerSpecification[] {
  const look = { 'text-halo-color': palette.halo, 'text-halo-width': 1.4 };
  return [
    { id: 'streets-earth', type: 'fill', source, 'source-layer': 'earth', paint: { 'fill-color': palette.land } },
    {
      id: 'streets-green',
      type: 'fill',
      source,
      'source-layer': 'landuse',
      filter: isKind('park', 'forest', 'wood', 'grass', 'golf_course', 'nature_reserve', 'national_park', 'cemetery', 'pitch'),
      paint: { 'fill-color': palette.green },
    },
    {
      id: 'streets-water',
      type: 'fill',
      source,
      'source-layer': 'water',
      filter: ['==', ['geometry-type'], 'Polygon'],
      paint: { 'fill-color': palette.water },
    },
    {
      id: 'streets-rivers',
      type: 'line',
      source,
      'source-layer': 'water',
      minzoom: 9,
      filter: ['==', ['geometry-type'], 'LineString'],
      paint: { 'line-color': palette.water, 'line-width': widths([9, 0.5], [18, 8]) },
    },
    {
      id: 'streets-buildings',
      type: 'fill',
      source,
      'source-layer': 'buildings',
      minzoom: 14,
      paint: { 'fill-color': palette.minor, 'fill-opacity': 0.7 },
    },
    // Draw all casings before all surfaces, so that crossings stay open.
    ...roads.slice(1).map(
      ({ id, kinds, from, width }): LayerSpecification => ({
        id: `streets-${id}-edge`,
        type: 'line',
        source,
        'source-layer': 'roads',
        minzoom: Math.max(from, 10),
        filter: isKind(...kinds),
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': palette.casing, 'line-gap-width': width, 'line-width': widths([10, 0.4], [18, 1.5]) },
      }),
    ),
    ...roads.map(
      ({ id, kinds, from, width }): LayerSpecification => ({
        id: `streets-${id}`,
        type: 'line',
        source,
        'source-layer': 'roads',
        minzoom: from,
        filter: isKind(...kinds),
        layout: { 'line-cap': 'round', 'line-join': 'round' },
        paint: { 'line-color': id === 'paths' ? palette.minor : palette.road, 'line-width': width },
      }),
    ),
    {
      id: 'streets-borders',
      type: 'line',
      source,
      'source-layer': 'boundaries',
      paint: { 'line-color': palette.coast, 'line-dasharray': [3, 2], 'line-width': 1 },
    },
    {
      id: 'streets-road-names',
      type: 'symbol',
      source,
      'source-layer': 'roads',
      minzoom: 13,
      filter: isKind('highway', 'major_road', 'minor_road'),
      layout: { 'symbol-placement': 'line', 'text-field': name, 'text-font': fonts, 'text-size': 11 },
      paint: { 'text-color': palette.label, ...look },
    },
    {
      id: 'streets-water-names',
      type: 'symbol',
      source,
      'source-layer': 'water',
      filter: ['==', ['geometry-type'], 'Point'],
      layout: { 'text-field': name, 'text-font': fonts, 'text-size': 12, 'text-letter-spacing': 0.06 },
      paint: { 'text-color': palette.waterLabel, 'text-halo-color': palette.water, 'text-halo-width': 1 },
    },
    {
      id: 'streets-places',
      type: 'symbol',
      source,
      'source-layer': 'places',
      filter: isKind('locality', 'macrohood', 'neighbourhood'),
      layout: {
        'text-field': name,
        'text-font': fonts,
        'text-size': ['case', ['==', ['get', 'kind'], 'locality'], 13.5, 11.5],
        'text-padding': 4,
        'symbol-sort-key': ['coalesce', ['get', 'sort_rank'], ['get', 'min_zoom'], 20],
      },
      paint: { 'text-color': palette.label, ...look },
    },
  ];
}

/** Base map configured by the operator. Without a URL, only land, coast and place names are drawn. */
export interface MapSource {
  styleUrl: string;
  /** Template of raster tiles with {z}, {x} and {y}, or a single .pmtiles archive. */
  tileUrl: string;
  attribution: string;
}

/** No glyph server is configured, so MapLibre renders glyphs from the page's own font. */
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

/** Returns the operator's tiles with their layers; without tiles, the built-in place names. */
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

/** Builds a style of land and coast in the theme's colors, with the operator's tiles or place names on top. */
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
