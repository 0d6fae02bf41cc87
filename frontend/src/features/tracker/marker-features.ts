import type { Feature, FeatureCollection, Point } from 'geojson';
import { type DriverState, driverState, type Freshness, initials } from './freshness';
import type { Located } from './location-store';

export interface MarkerProperties {
  driverId: string;
  initials: string;
  state: DriverState;
  /** Only of who moves. */
  heading?: number;
}

/** A driver as the map draws them. */
export function markerFeature(
  driver: Located,
  now: number,
  freshness: Freshness,
): Feature<Point, MarkerProperties> {
  const { driverId, name, position, at } = driver;
  const state = driverState(position, at, now, freshness);
  const heading = state === 'moving' ? position.headingDeg : null;
  return {
    type: 'Feature',
    properties: {
      driverId,
      initials: initials(name),
      state,
      ...(heading !== null && { heading }),
    },
    geometry: { type: 'Point', coordinates: [position.lng, position.lat] },
  };
}

/** Everybody shown but the one who is selected, who lies above the others and in no cluster. */
export function markerFeatures(
  drivers: readonly Located[],
  selected: string | undefined,
  now: number,
  freshness: Freshness,
): FeatureCollection<Point, MarkerProperties> {
  return {
    type: 'FeatureCollection',
    features: drivers
      .filter(({ driverId }) => driverId !== selected)
      .map((driver) => markerFeature(driver, now, freshness)),
  };
}
