import { expect, it } from 'vitest';
import { osmandAddress, trackingAddress } from './tracking-address';

const page = { origin: 'https://office.example.com', hostname: 'office.example.com' };
const here = { enabled: true, url: '', host: '0.0.0.0', port: 5263, path: '/', onPublicPort: false };

it.each([
  ['the configured one', { url: 'https://trackers.example.com/' }, 'https://trackers.example.com', false],
  ['the host of the page with the port in force', {}, 'http://office.example.com:5263', false],
  ['the host that is listened on', { host: '10.0.0.5', path: '/gps' }, 'http://10.0.0.5:5263/gps', false],
  ['the public port, when only that can be reached', { host: '127.0.0.1', onPublicPort: true }, 'https://office.example.com/ingest', false],
  ['its own port, when both can be reached', { onPublicPort: true }, 'http://office.example.com:5263', false],
  ['one that phones cannot reach, and says so', { host: '127.0.0.1' }, 'http://office.example.com:5263', true],
])('names %s', (_, changes, url, isLocal) => {
  expect(trackingAddress({ ...here, ...changes }, page)).toEqual({ url, isLocal });
});

it('names none where no positions are taken', () => {
  expect(trackingAddress({ ...here, enabled: false, url: 'https://trackers.example.com' }, page)).toBeUndefined();
});

it.each([
  ['http://10.0.0.5:5263', 'http://10.0.0.5:5263/?id=Xq7L&'],
  ['https://office.example.com/ingest', 'https://office.example.com/ingest?id=Xq7L&'],
])('appends the fields for OsmAnd to the path of %s', (url, beginning) => {
  expect(osmandAddress(url, 'Xq7L').startsWith(beginning)).toBe(true);
});

it('sets OsmAnd to send meters per second', () => {
  const url = new URL(osmandAddress('http://10.0.0.5:5263', 'Xq7Lm2Vt9KdR'));
  expect(url.searchParams.get('id')).toBe('Xq7Lm2Vt9KdR');
  expect(url.searchParams.get('speed_unit')).toBe('ms');
});
