import type { GeoJSONSource, Map as MapLibreMap, MapLayerMouseEvent } from 'maplibre-gl';
import { type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { serverNow } from '@/data/server-clock';
import { type MapFailure, MapTools, MapView } from '@/ui/map/map-view';
import { useFreshness } from './freshness';
import type { Located, LocationStore } from './location-store';
import { markerFeature, markerFeatures } from './marker-features';
import {
  CLUSTER_LAYER,
  DRIVER_LAYER,
  DRIVERS,
  FOCUS,
  installTracker,
  setData,
  setManyData,
  TRAIL,
  useMapSource,
} from './tracker-layers';
import { useRecentTrail } from './trail/use-recent-trail';

/** How often the state of drivers that send nothing is updated. */
const AGING_MS = 5000;
const NEAR = 14;

interface TrackerMapProps {
  store: LocationStore;
  drivers: readonly Located[];
  now: number;
  selected: string | undefined;
  hovered: string | undefined;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
  onFailed: (why: MapFailure) => void;
  /** Pixels covered by a sheet at the bottom and a card on the left. */
  covered?: { bottom?: number; left?: number };
  className?: string;
  children?: ReactNode;
}

/** Map of all drivers, with markers that show how current each position is. */
export function TrackerMap(props: TrackerMapProps) {
  const { store, drivers, now, selected, hovered, onSelect, onHover, onFailed, className } = props;
  const { covered = {}, children } = props;
  const { t } = useTranslation('tracker');
  const source = useMapSource();
  const freshness = useFreshness();
  const [map, setMap] = useState<MapLibreMap>();
  // How often the layers were added to this map: at first, and again after each theme change, which clears the map.
  const [painted, setPainted] = useState(0);
  const trail = useRecentTrail(selected, store);
  const aged = Math.floor(now / AGING_MS);
  const isThere = map !== undefined && painted > 0;

  useEffect(() => {
    if (!map || painted === 0) return undefined;
    // Update the map in a separate frame, after the list has rendered.
    const frame = requestAnimationFrame(() =>
      setManyData(map, DRIVERS, markerFeatures(drivers, selected, serverNow(), freshness)),
    );
    return () => cancelAnimationFrame(frame);
  }, [map, painted, drivers, selected, aged, freshness]);

  useEffect(() => {
    if (!map || painted === 0) return;
    const at = serverNow();
    const focus = [
      { driver: hovered === selected ? undefined : drivers.find((it) => it.driverId === hovered), role: 'hovered' },
      { driver: selected === undefined ? undefined : store.get(selected), role: 'selected' },
    ].flatMap(({ driver, role }) => {
      if (!driver) return [];
      const feature = markerFeature(driver, at, freshness);
      return [{ ...feature, properties: { ...feature.properties, name: driver.name, role } }];
    });
    setData(map, FOCUS, { type: 'FeatureCollection', features: focus });
  }, [map, painted, store, drivers, selected, hovered, aged, freshness]);

  useEffect(() => {
    if (!map || painted === 0) return;
    const coordinates = trail.map(({ lng, lat }) => [lng, lat]);
    setData(map, TRAIL, {
      type: 'Feature',
      properties: {},
      geometry: { type: 'LineString', coordinates: coordinates.length > 1 ? coordinates : [] },
    });
  }, [map, painted, trail]);

  function show(driverId: string) {
    const driver = store.get(driverId);
    if (!map || !driver) return;
    const { lng, lat } = driver.position;
    map.easeTo({
      center: [lng, lat],
      zoom: Math.max(map.getZoom(), 12),
      duration: 400,
    });
  }
  const { bottom: sheet = 0, left = 0 } = covered;
  const makeRoom = useEffectEvent(() => {
    if (!map) return;
    const { clientWidth, clientHeight } = map.getContainer();
    // In a low window, the sheet covers half of the map. The map could not fit anything into less.
    const bottom = Math.min(sheet, clientHeight / 2);
    const padding = { top: 0, right: 0, bottom, left };
    if (!isThere) {
      map.setPadding(padding);
      return;
    }
    // Padding shifts the map's center. Pass the location in the middle of the uncovered part as the new center, so that the
    // map does not move.
    map.jumpTo({ padding, center: map.unproject([(clientWidth + left) / 2, (clientHeight - bottom) / 2]) });
  });
  // The map keeps its padding, so set it before each move, and again when the card closes.
  useEffect(() => {
    makeRoom();
    const again = () => makeRoom();
    map?.on('resize', again);
    return () => void map?.off('resize', again);
  }, [map, sheet, left]);
  const showNew = useEffectEvent(show);
  useEffect(() => {
    if (isThere && selected !== undefined) showNew(selected);
  }, [isThere, selected]);

  const choose = useEffectEvent(onSelect);
  const point = useEffectEvent(onHover);
  useEffect(() => {
    if (!map) return undefined;
    const canvas = map.getCanvas();
    const driverOf = ({ features }: MapLayerMouseEvent) =>
      features?.[0]?.properties.driverId as string | undefined;
    function pick(event: MapLayerMouseEvent) {
      const driverId = driverOf(event);
      if (driverId !== undefined) choose(driverId);
    }
    function enter(event: MapLayerMouseEvent) {
      canvas.style.cursor = 'pointer';
      point(driverOf(event));
    }
    function leave() {
      canvas.style.cursor = '';
      point(undefined);
    }
    async function open({ features, lngLat }: MapLayerMouseEvent) {
      const cluster = features?.[0]?.properties.cluster_id as number | undefined;
      const drawn = map?.getSource<GeoJSONSource>(DRIVERS);
      if (cluster === undefined || !drawn) return;
      const zoom = await drawn.getClusterExpansionZoom(cluster);
      map?.easeTo({ center: lngLat, zoom, duration: 300 });
    }
    const opened = (event: MapLayerMouseEvent) => void open(event);
    map.on('click', DRIVER_LAYER, pick);
    map.on('mousemove', DRIVER_LAYER, enter);
    map.on('mouseleave', DRIVER_LAYER, leave);
    map.on('click', CLUSTER_LAYER, opened);
    map.on('mouseenter', CLUSTER_LAYER, enter);
    map.on('mouseleave', CLUSTER_LAYER, leave);
    return () => {
      map.off('click', DRIVER_LAYER, pick);
      map.off('mousemove', DRIVER_LAYER, enter);
      map.off('mouseleave', DRIVER_LAYER, leave);
      map.off('click', CLUSTER_LAYER, opened);
      map.off('mouseenter', CLUSTER_LAYER, enter);
      map.off('mouseleave', CLUSTER_LAYER, leave);
    };
  }, [map]);

  /** Centers the map on the selected driver, or fits all drivers that are shown. */
  function recenter() {
    if (selected !== undefined) {
      show(selected);
      return;
    }
    const [first] = drivers;
    if (!map || !first) return;
    let [west, south, east, north] = [180, 90, -180, -90];
    for (const { position } of drivers) {
      west = Math.min(west, position.lng);
      east = Math.max(east, position.lng);
      south = Math.min(south, position.lat);
      north = Math.max(north, position.lat);
    }
    const padding = Math.min(80, map.getContainer().clientHeight / 8);
    map.fitBounds([west, south, east, north], { padding, maxZoom: NEAR, duration: 400 });
  }

  return (
    <MapView
      label={t('map.label')}
      source={source}
      install={(target, palette) => {
        installTracker(target, palette);
        setPainted((count) => count + 1);
      }}
      onMap={(next) => {
        setMap(next);
        if (!next) setPainted(0);
      }}
      onFailed={onFailed}
      {...(className && { className })}
    >
      <MapTools
        map={map}
        labels={{
          zoomIn: t('map.zoomIn'),
          zoomOut: t('map.zoomOut'),
          recenter: t(selected === undefined ? 'map.recenterAll' : 'map.recenter'),
        }}
        onRecenter={recenter}
      />
      {children}
    </MapView>
  );
}
