import type { Map as MapLibreMap, MapLayerMouseEvent } from 'maplibre-gl';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { MapTools } from '@/ui/map/map-tools';
import { MapView } from '@/ui/map/map-view';
import type { TrailDelivery } from '../queries';
import { setData } from '../tracker-layers';
import type { TrailPoint } from '../trail/points';
import { placeAt, type Replay } from '../trail/replay';
import type { Stop } from '../trail/stops';
import {
  installTrail,
  PLANNED,
  plannedFeatures,
  POINTER,
  pointerFeatures,
  SIGN_LAYER,
  signFeatures,
  SIGNS,
  WAY,
  wayFeatures,
} from '../trail/trail-layers';
import type { Visits } from '../trail/visits';
import { useMapSource } from '../use-map-source';

interface TrailMapProps {
  /** Another one is another trail: it is shown whole. */
  trailKey: string;
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
  /** What comes next, while the day lasts. */
  next: TrailDelivery | undefined;
  replay: Replay;
  isFollowing: boolean;
  onStop: (number: number) => void;
  onFailed: () => void;
  className?: string;
  children?: ReactNode;
}

/** The way of one day with its stops, and where the replay is. */
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
        labels={{ zoomIn: t('map.zoomIn'), zoomOut: t('map.zoomOut'), recentre: t('trail.recentre') }}
        onRecentre={fit}
      />
      {children}
    </MapView>
  );
}
