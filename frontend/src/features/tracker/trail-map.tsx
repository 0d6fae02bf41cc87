import type { FeatureCollection } from 'geojson';
import type { Map as MapLibreMap, MapLayerMouseEvent } from 'maplibre-gl';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import type { LatLng } from '@/lib/geo';
import { FONT } from '@/ui/map/map-style';
import { type MapFailure, MapTools, MapView } from '@/ui/map/map-view';
import { addDisc, addPointer } from '@/ui/map/marker-images';
import type { Palette } from '@/ui/map/palette';
import type { DeliveryStatus } from '@/ui/status-chip';
import type { TrailDelivery } from './queries';
import { setData, useMapSource } from './tracker-layers';
import { pieces, type Stop, type TrailPoint, type Visits, worstStatus } from './trail/points';
import { placeAt, type Replay, type ReplayPlace } from './trail/replay';

const WAY = 'way';
const PLANNED = 'planned';
const SIGNS = 'signs';
const POINTER = 'pointer';
const SIGN_LAYER = 'signs';

const EMPTY: FeatureCollection = { type: 'FeatureCollection', features: [] };

type Sign = 'ok' | 'warn' | 'info' | 'bad' | 'plain' | 'open';

const signs: Record<DeliveryStatus, Sign> = {
  Complete_No_Variance: 'ok',
  Complete_With_Variance: 'warn',
  Undelivered: 'info',
  Rejected: 'bad',
  Pending: 'open',
};

/** Adds empty sources and layers for a trail. */
function installTrail(map: MapLibreMap, palette: Palette): void {
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

function wayFeatures(points: readonly TrailPoint[]): FeatureCollection {
  const coordinates = pieces(points)
    .filter(({ length }) => length > 1)
    .map((piece) => piece.map(({ lng, lat }) => [lng, lat]));
  return {
    type: 'FeatureCollection',
    features: [{ type: 'Feature', properties: {}, geometry: { type: 'MultiLineString', coordinates } }],
  };
}

/** Straight line from the driver to the next delivery. */
function plannedFeatures(from: LatLng | undefined, next: TrailDelivery | undefined): FeatureCollection {
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

/** Features of numbered stops, and of deliveries that are not at a stop. */
function signFeatures(stops: readonly Stop[], { byStop, elsewhere, open }: Visits): FeatureCollection {
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

function pointerFeatures(place: ReplayPlace | undefined): FeatureCollection {
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

interface TrailMapProps {
  /** A new key fits the map to the new trail. */
  trailKey: string;
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
  /** The next delivery, today only. */
  next: TrailDelivery | undefined;
  replay: Replay;
  isFollowing: boolean;
  onStop: (number: number) => void;
  onFailed: (why: MapFailure) => void;
  className?: string;
  children?: ReactNode;
}

/** Map of one day's trail with stops and the replay position. */
export function TrailMap(props: TrailMapProps) {
  const { trailKey, points, stops, visits, next, replay, isFollowing } = props;
  const { onStop, onFailed, className, children } = props;
  const { t } = useTranslation('tracker');
  const source = useMapSource();
  const [map, setMap] = useState<MapLibreMap>();
  const [painted, setPainted] = useState(0);
  const isThere = map !== undefined && painted > 0;

  useEffect(() => {
    if (map && painted > 0) setData(map, WAY, wayFeatures(points));
  }, [map, painted, points]);
  useEffect(() => {
    if (map && painted > 0) setData(map, SIGNS, signFeatures(stops, visits));
  }, [map, painted, stops, visits]);
  useEffect(() => {
    if (map && painted > 0) setData(map, PLANNED, plannedFeatures(points.at(-1), next));
  }, [map, painted, points, next]);

  useEffect(() => {
    if (!map || painted === 0) return undefined;
    const shown = map;
    function draw() {
      const place = placeAt(points, replay.get().at);
      setData(shown, POINTER, pointerFeatures(place));
      if (isFollowing && place && replay.get().isPlaying) shown.setCenter([place.lng, place.lat]);
    }
    draw();
    return replay.subscribe(draw);
  }, [map, painted, points, replay, isFollowing]);

  function fit() {
    if (!map || points.length === 0) return;
    let [west, south, east, north] = [180, 90, -180, -90];
    for (const { lng, lat } of points) {
      west = Math.min(west, lng);
      east = Math.max(east, lng);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
    map.fitBounds([west, south, east, north], { padding: 64, maxZoom: 15, duration: 0 });
  }
  const fitNew = useEffectEvent(fit);
  const hasPoints = points.length > 0;
  useEffect(() => {
    if (isThere && hasPoints) fitNew();
  }, [isThere, hasPoints, trailKey]);

  const choose = useEffectEvent(onStop);
  useEffect(() => {
    if (!map) return undefined;
    const canvas = map.getCanvas();
    function pick({ features }: MapLayerMouseEvent) {
      const number = features?.[0]?.properties.stop as number | undefined;
      if (number !== undefined) choose(number);
    }
    const enter = () => (canvas.style.cursor = 'pointer');
    const leave = () => (canvas.style.cursor = '');
    map.on('click', SIGN_LAYER, pick);
    map.on('mouseenter', SIGN_LAYER, enter);
    map.on('mouseleave', SIGN_LAYER, leave);
    return () => {
      map.off('click', SIGN_LAYER, pick);
      map.off('mouseenter', SIGN_LAYER, enter);
      map.off('mouseleave', SIGN_LAYER, leave);
    };
  }, [map]);

  return (
    <MapView
      label={t('trail.mapLabel')}
      source={source}
      install={(target, palette) => {
        installTrail(target, palette);
        setPainted((count) => count + 1);
      }}
      onMap={(shown) => {
        setMap(shown);
        if (!shown) setPainted(0);
      }}
      onFailed={onFailed}
      {...(className && { className })}
    >
      <MapTools
        map={map}
        labels={{ zoomIn: t('map.zoomIn'), zoomOut: t('map.zoomOut'), recenter: t('trail.recenter') }}
        onRecenter={fit}
      />
      {children}
    </MapView>
  );
}
