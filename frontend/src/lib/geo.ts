export interface LatLng {
  /** Coordinates in degrees. */
  lat: number;
  lng: number;
}

const EARTH_RADIUS_M = 6_371_008.8;
const radians = (degrees: number) => (degrees * Math.PI) / 180;

/** Great-circle distance in meters. */
export function distanceM(a: LatLng, b: LatLng): number {
  const [phiA, phiB] = [radians(a.lat), radians(b.lat)];
  const north = Math.sin((phiB - phiA) / 2);
  const east = Math.sin(radians(b.lng - a.lng) / 2);
  const h = north * north + Math.cos(phiA) * Math.cos(phiB) * east * east;
  return 2 * EARTH_RADIUS_M * Math.asin(Math.min(1, Math.sqrt(h)));
}

/** Initial heading in degrees: 0 to 360, clockwise from north. */
export function bearingDeg(a: LatLng, b: LatLng): number {
  const [phiA, phiB] = [radians(a.lat), radians(b.lat)];
  const turn = radians(b.lng - a.lng);
  const east = Math.sin(turn) * Math.cos(phiB);
  const north = Math.cos(phiA) * Math.sin(phiB) - Math.sin(phiA) * Math.cos(phiB) * Math.cos(turn);
  return ((Math.atan2(east, north) * 180) / Math.PI + 360) % 360;
}

const WINDS = [
  'N', 'NNE', 'NE', 'ENE', 'E', 'ESE', 'SE', 'SSE', 'S', 'SSW', 'SW', 'WSW', 'W', 'WNW', 'NW', 'NNW',
] as const;

/** 'WNW' */
export function compassPoint(headingDeg: number): string {
  const index = Math.round((((headingDeg % 360) + 360) % 360) / 22.5) % WINDS.length;
  return WINDS[index] ?? 'N';
}

/** Formats a distance: '840 m', '61.4 km'. */
export function formatDistance(meters: number): string {
  return meters < 1000 ? `${Math.round(meters)} m` : `${(meters / 1000).toFixed(1)} km`;
}
