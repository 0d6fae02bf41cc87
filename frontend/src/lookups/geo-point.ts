export interface GeoPoint {
  lat: number;
  lng: number;
  accuracy: number | null;
}

/** Without what the answer of a query carries beside it. */
export function plainPoint(point: GeoPoint | null | undefined): GeoPoint | null {
  return point ? { lat: point.lat, lng: point.lng, accuracy: point.accuracy } : null;
}
