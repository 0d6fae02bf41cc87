const DIGITS = 5;

interface Point {
  lat: number;
  lng: number;
  accuracy: number | null;
}

/** Formats as '14.55900, 121.02000 ± 12 m'; five decimals, about one meter, match the accuracy of devices. */
export function formatLocation({ lat, lng, accuracy }: Point): string {
  const text = `${lat.toFixed(DIGITS)}, ${lng.toFixed(DIGITS)}`;
  return accuracy === null ? text : `${text} ± ${Math.round(accuracy)} m`;
}

/** Formats a distance: '38 m', '2.4 km'. */
export function formatDistance(meters: number): string {
  return meters < 1000 ? `${Math.round(meters)} m` : `${(meters / 1000).toFixed(1)} km`;
}

/** Beyond this distance from the planned location, a recorded location is flagged as questionable. */
const FAR_METERS = 500;

export function isFar(meters: number): boolean {
  return meters > FAR_METERS;
}
