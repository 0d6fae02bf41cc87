import type { FeatureCollection } from 'geojson';
import type { Map as MapLibreMap } from 'maplibre-gl';
import type { LatLng } from '@/lib/geo';
import { addDisc, addPointer } from '@/ui/map/marker-images';
import { FONT } from '@/ui/map/map-style';
import type { Palette } from '@/ui/map/palette';
import type { DeliveryStatus } from '@/ui/statuses';
import type { TrailDelivery } from '../queries';
import { pieces, type TrailPoint } from './points';
import type { ReplayPlace } from './replay';
import type { Stop } from './stops';
import { type Visits, worstStatus } from './visits';

export const WAY = 'way';
export const PLANNED = 'planned';
export const SIGNS = 'signs';
export const POINTER = 'pointer';
export const SIGN_LAYER = 'signs';

const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

type Sign = 'ok' | 'warn' | 'info' | 'bad' | 'plain' | 'open';

const signs: Record<DeliveryStatus, Sign> = {
  Complete_No_Variance: 'ok',
  Complete_With_Variance: 'warn',
  Undelivered: 'info',
  Rejected: 'bad',
  Pending: 'open',
};

/** Adds what a trail is drawn with, empty. */
export function installTrail(map: MapLibreMap, palette: Palette): void {
  for (const tone of ['ok', 'warn', 'info', 'bad'] as const) {
    addDisc(map, `sign-${tone}`, palette, { fill: palette[tone], stroke: palette[tone], size: 22 });
  }
  addDisc(map, 'sign-plain', palette, { fill: palette.idle, stroke: palette.idle, size: 22 });
  addDisc(map, 'sign-open', palette, { fill: palette.surface, stroke: palette.idle, size: 20, dashed: true });
  addPointer(map, 'pointer', palette);
  for (const source of [WAY, PLANNED, SIGNS, POINTER]) {
    map.addSource(source, { type: 'geojson', data: EMPTY });
  }
  const round = { 'line-cap': 'round', 'line-join': 'round' } as const;
  map.addLayer({
    id: 'way',
    type: 'line',
    source: WAY,
    layout: round,
    paint: { 'line-color': palette.accent, 'line-width': 4 },
  });
  map.addLayer({
    id: 'planned',
    type: 'line',
    source: PLANNED,
    layout: round,
    paint: { 'line-color': palette.accent, 'line-width': 3, 'line-dasharray': [0.2, 2] },
  });
  map.addLayer({
    id: SIGN_LAYER,
    type: 'symbol',
    source: SIGNS,
    layout: {
      'icon-image': ['concat', 'sign-', ['get', 'sign']],
      'icon-allow-overlap': true,
      'text-allow-overlap': true,
      'text-field': ['get', 'text'],
      'text-font': FONT,
      'text-size': 11,
    },
    paint: {
      'text-color': ['match', ['get', 'sign'], 'open', palette.idle, palette.surface],
      'text-halo-color': ['match', ['get', 'sign'], 'open', palette.idle, palette.surface],
      'text-halo-width': 0.35,
    },
  });
  map.addLayer({
    id: 'pointer-halo',
    type: 'circle',
    source: POINTER,
    paint: { 'circle-radius': 22, 'circle-color': palette.accent, 'circle-opacity': 0.2 },
  });
  map.addLayer({
    id: 'pointer',
    type: 'symbol',
    source: POINTER,
    layout: {
      'icon-image': 'pointer',
      'icon-rotate': ['get', 'heading'],
      'icon-rotation-alignment': 'map',
      'icon-allow-overlap': true,
      'icon-ignore-placement': true,
    },
  });
}

export function wayFeatures(points: readonly TrailPoint[]): FeatureCollection {
  const coordinates = pieces(points)
    .filter(({ length }) => length > 1)
    .map((piece) => piece.map(({ lng, lat }) => [lng, lat]));
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'MultiLineString', coordinates } }],
  };
}

/** From where the driver is to the delivery that comes next. */
export function plannedFeatures(from: LatLng | undefined, next: TrailDelivery | undefined): FeatureCollection {
  const to = next?.addressPoint;
  if (!from || !to) return EMPTY;
  const coordinates = [from, to].map(({ lng, lat }) => [lng, lat]);
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'LineString', coordinates } }],
  };
}

interface SignAt {
  at: LatLng;
  sign: Sign;
  text: string;
  stop?: number;
}

/** Stops with their numbers, and deliveries where no stop was or none has been yet. */
export function signFeatures(stops: readonly Stop[], { byStop, elsewhere, open }: Visits): FeatureCollection {
  const ofStops = stops.map((stop): SignAt => {
    const status = worstStatus(byStop.get(stop.number) ?? []);
    return { at: stop, sign: status ? signs[status] : 'plain', text: String(stop.number), stop: stop.number };
  });
  const alone = [...elsewhere, ...open].flatMap((delivery): SignAt[] => {
    const at = delivery.outcomePoint ?? delivery.addressPoint;
    return at ? [{ at, sign: signs[delivery.deliverystatus], text: '' }] : [];
  });
  return {
    type: 'FeatureCollection',
    features: [...alone, ...ofStops].map(({ at, ...properties }) => ({
      type: 'Feature',
      properties,
      geometry: { type: 'Point', coordinates: [at.lng, at.lat] },
    })),
  };
}

export function pointerFeatures(place: ReplayPlace | undefined): FeatureCollection {
  if (!place) return EMPTY;
  return {
    type: 'FeatureCollection',
    features: [
      {
        type: 'Feature',
        properties: { heading: place.headingDeg },
        geometry: { type: 'Point', coordinates: [place.lng, place.lat] },
      },
    ],
  };
}
