import type { Tracking } from '@/auth/current-user';

const LOOPBACK = /^(?:localhost|127\.\d+\.\d+\.\d+|\[?::1\]?)$/;
const ANY = ['0.0.0.0', '::', '[::]'];

export interface TrackingAddress {
  url: string;
  /** Whether only this machine can reach the address. */
  isLocal: boolean;
}

/** Returns the address that phones send positions to, or undefined if the server receives none. */
export function trackingAddress(
  { enabled, url, host, port, path, onPublicPort }: Tracking,
  page: Pick<Location, 'origin' | 'hostname'>,
): TrackingAddress | undefined {
  if (url !== '' && (enabled || onPublicPort)) return { url: withoutSlash(url), isLocal: false };
  // The separate port for positions is assumed to be reachable unless it is on loopback. If it is on loopback,
  // devices use the public port.
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

/**
 * The URL for OsmAnd. `speed_unit` is needed because the server otherwise reads OsmAnd's meters per second as knots.
 */
export function osmandAddress(url: string, deviceId: string): string {
  const fields = 'lat={0}&lon={1}&timestamp={2}&hdop={3}&altitude={4}&speed={5}&speed_unit=ms&bearing={6}&batt={11}';
  // A proxy may take the path only as it is configured.
  const path = new URL(url).pathname === '/' ? '/' : '';
  return `${url}${path}?id=${deviceId}&${fields}`;
}
