import type { GeoJSON } from 'geojson';
import type { ExpressionSpecification, GeoJSONSource, Map as MapLibreMap } from 'maplibre-gl';
import { useAuth } from '@/auth/use-auth';
import { FONT, type MapSource } from '@/ui/map/map-style';
import { addArrow, addDisc, addPill } from '@/ui/map/marker-images';
import type { Palette } from '@/ui/map/palette';

const NONE: MapSource = { styleUrl: '', tileUrl: '', attribution: '' };

/** Returns the base map that the operator configured, which arrives at sign-in. */
export function useMapSource(): MapSource {
  return useAuth().currentUser?.map ?? NONE;
}

export const DRIVERS = 'drivers';
export const FOCUS = 'focus';
export const TRAIL = 'trail';

const EMPTY: GeoJSON = { type: 'FeatureCollection', features: [] };
const isCluster: ExpressionSpecification = ['has', 'point_count'];
const isDriver: ExpressionSpecification = ['!', isCluster];
const isLive: ExpressionSpecification = ['in', ['get', 'state'], ['literal', ['moving', 'stop']]];
const disc: ExpressionSpecification = ['concat', 'disc-', ['get', 'state']];

export const CLUSTER_LAYER = 'clusters';
export const DRIVER_LAYER = 'drivers';

/** The color of the text on a disc. The disc is filled if the driver is live, and hollow otherwise. */
function textColor(palette: Palette): ExpressionSpecification {
  return ['match', ['get', 'state'], 'stale', palette.warn, 'offline', palette.idle, palette.accentFg];
}

function addImages(map: MapLibreMap, palette: Palette) {
  addDisc(map, 'disc-moving', palette, { fill: palette.ok, stroke: palette.ok });
  addDisc(map, 'disc-stop', palette, { fill: palette.info, stroke: palette.info });
  addDisc(map, 'disc-stale', palette, { fill: palette.surface, stroke: palette.warn });
  addDisc(map, 'disc-offline', palette, { fill: palette.surface, stroke: palette.idle, dashed: true });
  addDisc(map, 'disc-selected', palette, { fill: palette.accent, stroke: palette.accent });
  addArrow(map, 'arrow', palette, palette.ok);
  addArrow(map, 'arrow-selected', palette, palette.accent);
  addPill(map, 'pill', palette);
}

/** Markers are always shown; place names yield to them. */
const always = {
  'icon-allow-overlap': true,
  'text-allow-overlap': true,
  'text-font': FONT,
} as const;

function addDrivers(map: MapLibreMap, palette: Palette) {
  map.addSource(DRIVERS, {
    type: 'geojson',
    data: EMPTY,
    cluster: true,
    clusterRadius: 34,
    clusterMaxZoom: 14,
    clusterProperties: { live: ['+', ['case', isLive, 1, 0]] },
  });
  map.addLayer({
    id: CLUSTER_LAYER,
    type: 'circle',
    source: DRIVERS,
    filter: isCluster,
    paint: {
      'circle-radius': ['step', ['get', 'point_count'], 16, 10, 19, 100, 24],
      // Without live drivers a cluster is hollow, like a single offline driver.
      'circle-color': ['case', ['>', ['get', 'live'], 0], palette.fg, palette.surface],
      'circle-stroke-color': ['case', ['>', ['get', 'live'], 0], palette.surface, palette.idle],
      'circle-stroke-width': 2,
    },
  });
  map.addLayer({
    id: 'cluster-counts',
    type: 'symbol',
    source: DRIVERS,
    filter: isCluster,
    layout: { ...always, 'text-field': ['get', 'point_count_abbreviated'], 'text-size': 12 },
    paint: { 'text-color': ['case', ['>', ['get', 'live'], 0], palette.surface, palette.idle] },
  });
  map.addLayer({
    id: 'driver-arrows',
    type: 'symbol',
    source: DRIVERS,
    filter: ['all', isDriver, ['has', 'heading']],
    layout: {
      'icon-image': 'arrow',
      'icon-rotate': ['get', 'heading'],
      'icon-rotation-alignment': 'map',
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  });
  map.addLayer({
    id: DRIVER_LAYER,
    type: 'symbol',
    source: DRIVERS,
    filter: isDriver,
    layout: { ...always, 'icon-image': disc, 'text-field': ['get', 'initials'], 'text-size': 10.5 },
    paint: {
      'text-color': textColor(palette),
      'text-halo-color': textColor(palette),
      'text-halo-width': 0.25,
    },
  });
}

/** Adds layers for the selected driver with the trail of the last half hour, and for the hovered driver. */
function addFocus(map: MapLibreMap, palette: Palette) {
  map.addSource(TRAIL, { type: 'geojson', data: EMPTY });
  map.addSource(FOCUS, { type: 'geojson', data: EMPTY });
  map.addLayer(
    {
      id: 'trail',
      type: 'line',
      source: TRAIL,
      layout: { 'line-cap': 'round', 'line-join': 'round' },
      paint: { 'line-color': palette.accent, 'line-width': 4, 'line-opacity': 0.85 },
    },
    CLUSTER_LAYER,
  );
  const isSelected: ExpressionSpecification = ['==', ['get', 'role'], 'selected'];
  map.addLayer({
    id: 'focus-halo',
    type: 'circle',
    source: FOCUS,
    paint: {
      'circle-radius': ['case', isSelected, 24, 19],
      'circle-color': palette.accent,
      'circle-opacity': 0.2,
    },
  });
  map.addLayer({
    id: 'focus-arrows',
    type: 'symbol',
    source: FOCUS,
    filter: ['has', 'heading'],
    layout: {
      'icon-image': ['case', isSelected, 'arrow-selected', 'arrow'],
      'icon-rotate': ['get', 'heading'],
      'icon-rotation-alignment': 'map',
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  });
  // Selection must not make an old position look live.
  const isFull: ExpressionSpecification = ['all', isSelected, isLive];
  map.addLayer({
    id: 'focus-discs',
    type: 'symbol',
    source: FOCUS,
    layout: {
      ...always,
      'icon-image': ['case', isFull, 'disc-selected', disc],
      'text-field': ['get', 'initials'],
      'text-size': 10.5,
    },
    paint: {
      'text-color': textColor(palette),
      'text-halo-color': textColor(palette),
      'text-halo-width': 0.25,
    },
  });
  map.addLayer({
    id: 'focus-names',
    type: 'symbol',
    source: FOCUS,
    layout: {
      ...always,
      'icon-image': 'pill',
      'icon-text-fit': 'both',
      'text-field': ['get', 'name'],
      'text-size': 12,
      'text-offset': [0, 2.4],
      'text-max-width': 30,
    },
    paint: {
      'text-color': palette.accent,
      'text-halo-color': palette.accent,
      'text-halo-width': 0.15,
    },
  });
}

/** Adds empty sources and layers for the map of drivers. */
export function installTracker(map: MapLibreMap, palette: Palette): void {
  addImages(map, palette);
  addDrivers(map, palette);
  addFocus(map, palette);
}

/** Replaces the data of a source; no-op until the source exists. */
export function setData(map: MapLibreMap, source: string, data: GeoJSON): void {
  map.getSource<GeoJSONSource>(source)?.setData(data);
}

/**
 * Number of recent object URLs that stay valid, so that the map's worker has certainly read a URL before it is revoked.
 */
const KEPT_TEXTS = 3;
const texts: string[] = [];

/**
 * Replaces the data of a source with many features. It passes a URL that the map's worker fetches by itself. If it
 * passed the objects, this thread would have to copy them first.
 */
export function setManyData(map: MapLibreMap, source: string, data: GeoJSON): void {
  const drawn = map.getSource<GeoJSONSource>(source);
  if (!drawn) return;
  const text = URL.createObjectURL(new Blob([JSON.stringify(data)], { type: 'application/json' }));
  drawn.setData(text);
  texts.push(text);
  for (const old of texts.splice(0, texts.length - KEPT_TEXTS)) URL.revokeObjectURL(old);
}
