import type { Tracking } from '@/auth/current-user';

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;
const ANY = ['0.0.0.0', '::', '[::]'];

export interface TrackingAddress {
  url: string;
  /** Phones cannot reach it: the server listens on its own machine only. */
  isLocal: boolean;
}

/** The address at which phones reach this server, or undefined where it takes no positions. */
export function trackingAddress(
  { enabled, url, host, port, path, onPublicPort }: Tracking,
  page: Pick<Location, 'origin' | 'hostname'>,
): TrackingAddress | undefined {
  if (url !== '' && (enabled || onPublicPort)) return { url: withoutSlash(url), isLocal: false };
  // Whoever opened the port for devices means it; else the port that people use takes them as well.
  const isReachable = enabled && !LOOPBACK.test(host);
  if (onPublicPort && !isReachable) return { url: `${page.origin}/ingest`, isLocal: LOOPBACK.test(page.hostname) };
  if (!enabled) return undefined;
  const own = ANY.includes(host) || LOOPBACK.test(host) ? page.hostname : host;
  const name = own.includes(':') && !own.startsWith('[') ? `[${own}]` : own;
  return { url: withoutSlash(`http://${name}:${port}${path}`), isLocal: !isReachable };
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

/** The web address that OsmAnd sends to; without `speed_unit` the server would read its metres a second as knots. */
export function osmandAddress(url: string, deviceId: string): string {
  const fields = 'lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&speed_unit=ms&bearing={6}&batt={11}';
  return `${url}/?id=${deviceId}&${fields}`;
}
