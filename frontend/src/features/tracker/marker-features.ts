import type { Feature, FeatureCollection, Point } from 'geojson';
import { type DriverState, driverState, type Freshness, initials } from './freshness';
import type { Located } from './location-store';

export interface MarkerProperties {
  driverId: string;
  initials: string;
  state: DriverState;
  /** The direction of movement; undefined unless the driver is moving. */
  heading?: number;
}

/** Creates the map feature of a driver. */
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

/** Creates features of all shown drivers except the selected one, which is drawn on top and never clustered. */
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
