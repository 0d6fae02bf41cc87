const DIGITS = 5;

interface Point {
  lat: number;
  lng: number;
  accuracy: number | null;
}

/** '14.55900, 121.02000 ± 12 m': a metre or so is all that a device knows. */
export function formatPoint({ lat, lng, accuracy }: Point): string {
  const place = `${lat.toFixed(DIGITS)}, ${lng.toFixed(DIGITS)}`;
  return accuracy === null ? place : `${place} ± ${Math.round(accuracy)} m`;
}

/** '38 m', '2.4 km' */
export function formatDistance(metres: number): string {
  return metres < 1000 ? `${Math.round(metres)} m` : `${(metres / 1000).toFixed(1)} km`;
}

/** From here on somebody should ask where it was delivered. */
const FAR_METRES = 500;

export function isFar(metres: number): boolean {
  return metres > FAR_METRES;
}
