import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import type { Palette } from './palette';

/** Widths in pixels that grow with the zoom. */
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
 * Streets in the colours of the theme, over the layers that the Protomaps basemap has
 * (https://docs.protomaps.com/basemaps/layers, version 4): earth, landuse, water, buildings, roads, places.
 */
export function streetLayers(source: string, palette: Palette, fonts: string[]): LayerSpecification[] {
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
    // Every edge below every surface, so that crossings are open.
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
