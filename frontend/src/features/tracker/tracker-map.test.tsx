import { act, screen, waitFor, within } from '@testing-library/react';
import type { Feature, FeatureCollection, Point } from 'geojson';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { cardDeliveries, driverCard, location, locationsOf, trailPosition } from '@/test/tracker';
import { trackerRoutes } from './routes';
import './driver-tracker-list-page';

vi.setConfig({ testTimeout: 20_000 });

type Listener = (event: unknown) => void;

const SIZE = { clientWidth: 1000, clientHeight: 600 };
const LOW = { clientWidth: 667, clientHeight: 300 };
let size: typeof SIZE;
const PIXELS_PER_DEGREE = 1000;

/** Implements the map methods that the page uses, since jsdom has no WebGL. */
class FakeMap {
  readonly data = new Map<string, FeatureCollection | Feature>();
  readonly moves: { center: [number, number] }[] = [];
  readonly listeners = new Map<string, Listener>();
  readonly canvas = document.createElement('canvas');
  readonly layers: string[] = [];
  on(name: string, layer: string | Listener, listener?: Listener) {
    if (typeof layer === 'string' && listener) this.listeners.set(`${name} ${layer}`, listener);
    else if (typeof layer === 'function') this.listeners.set(name, layer);
  }
  off() {}
  hasImage = () => true;
  addImage() {}
  addSource(id: string, { data }: { data: FeatureCollection }) {
    this.data.set(id, data);
  }
  addLayer({ id }: { id: string }) {
    this.layers.push(id);
  }
  getSource = (id: string) => ({
    setData: (data: FeatureCollection | string) =>
      this.data.set(id, typeof data === 'string' ? (JSON.parse(data) as FeatureCollection) : data),
  });
  getCanvas = () => this.canvas;
  getZoom = () => 11;
  center: [number, number] = [121.02, 14.559];
  easeTo(move: { center: [number, number] }) {
    this.moves.push(move);
    this.center = move.center;
  }
  fitBounds() {}
  padding = { left: 0, bottom: 0 };
  setPadding(padding: FakeMap['padding']) {
    this.jumpTo({ padding, center: this.center });
  }
  getContainer = () => size;
  unproject([x, y]: [number, number]): [number, number] {
    const { left, bottom } = this.padding;
    const middle = [(size.clientWidth + left) / 2, (size.clientHeight - bottom) / 2] as const;
    const [lng, lat] = this.center;
    return [lng + (x - middle[0]) / PIXELS_PER_DEGREE, lat - (y - middle[1]) / PIXELS_PER_DEGREE];
  }
  /** How far jumps moved what is shown, in pixels. */
  readonly jumps = new Set<number>();
  jumpTo({ padding, center }: Pick<FakeMap, 'padding' | 'center'>) {
    const [west] = this.unproject([0, 0]);
    Object.assign(this, { padding, center });
    this.jumps.add(Math.abs(Math.round((this.unproject([0, 0])[0] - west) * PIXELS_PER_DEGREE)));
  }
  remove() {}
}

let map: FakeMap;
let failsToLoad: boolean;
vi.mock('@/ui/map/webgl', () => ({ hasWebgl: () => true }));
vi.mock('@/ui/map/palette', () => ({ readPalette: () => ({}) }));
vi.mock('@/ui/map/create-map', () => ({
  createMap: () => ({
    map,
    paint: () => {
      if (failsToLoad) return Promise.reject(new TypeError('Failed to fetch'));
      map.listeners.get('style.load')?.({ target: map });
      return Promise.resolve();
    },
  }),
}));

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const drawn = (source: string) =>
  (map.data.get(source) as FeatureCollection<Point> | undefined)?.features.map(({ properties }) => properties);

beforeEach(() => {
  map = new FakeMap();
  size = SIZE;
  failsToLoad = false;
  // The fake object URL is the content itself.
  vi.stubGlobal(
    'Blob',
    class {
      readonly text: string;
      constructor([text = '']: string[]) {
        this.text = text;
      }
    },
  );
  URL.createObjectURL = (blob) => String((blob as Blob).text);
  URL.revokeObjectURL = () => undefined;
  startFakeServer({
    user: rosa,
    operations: {
      DriverLocations: () =>
        locationsOf([
          location('DRV-014', { name: 'Rico Santos', occurredAt: ago(20), lat: 14.6 }),
          location('DRV-007', { name: 'Edwin Salazar', occurredAt: ago(2900) }),
        ]),
      DriverDays: () => ({ data: { driverDays: [] } }),
      DriverCard: () => driverCard('DRV-014'),
      DriverCardDeliveries: () => cardDeliveries,
      DriverPositions: ({ after }) => ({
        data: {
          driverPositions: {
            __typename: 'DriverPositions',
            positions: after
              ? []
              : [
                  trailPosition(ago(600), 14.58, 121),
                  trailPosition(ago(300), 1, 1, { valid: false, filteredReason: 'max_speed' }),
                  trailPosition(ago(20), 14.6, 121.02),
                ],
            cursor: after ? null : 'c1',
            more: false,
          },
        },
      }),
    },
  });
});

it('draws everybody by how fresh they are, and the list and it are one selection', async () => {
  const { user, address } = renderRoutes(declarations, '/driver-tracker-list');
  await waitFor(() => expect(drawn('drivers')).toHaveLength(2), { timeout: 10_000 });
  expect(drawn('drivers')).toEqual([
    expect.objectContaining({ driverId: 'DRV-007', state: 'offline' }),
    expect.objectContaining({ driverId: 'DRV-014', state: 'moving', initials: 'RS' }),
  ]);

  // Hovering over a row highlights the driver on the map, and vice versa.
  const list = within(screen.getByRole('list', { name: 'Drivers on the map' }));
  await user.hover(list.getByRole('button', { name: /Edwin Salazar/ }));
  await waitFor(() => expect(drawn('focus')).toMatchObject([{ driverId: 'DRV-007', role: 'hovered' }]));
  await user.unhover(list.getByRole('button', { name: /Edwin Salazar/ }));
  act(() => map.listeners.get('mousemove drivers')?.({ features: [{ properties: { driverId: 'DRV-014' } }] }));
  await waitFor(() => expect(drawn('focus')).toMatchObject([{ driverId: 'DRV-014', role: 'hovered' }]));

  act(() => map.listeners.get('click drivers')?.({ features: [{ properties: { driverId: 'DRV-014' } }] }));
  await waitFor(() => expect(address()).toBe('/driver-tracker-list?driver=DRV-014'));
  expect(list.getByRole('button', { name: /Rico Santos/ })).toHaveAttribute('aria-pressed', 'true');
  expect(drawn('focus')).toMatchObject([{ driverId: 'DRV-014', role: 'selected' }]);
  await waitFor(() => expect(drawn('drivers')).toMatchObject([{ driverId: 'DRV-007' }]));
  expect(map.moves.at(-1)?.center).toEqual([121.02, 14.6]);
  // The trail of the last half hour, without implausible positions.
  await waitFor(() =>
    expect((map.data.get('trail') as Feature).geometry).toEqual({
      type: 'LineString',
      coordinates: [[121, 14.58], [121.02, 14.6]],
    }),
  );
  expect(map.layers.indexOf('trail')).toBeGreaterThan(-1);
  // The map makes room for the card, and uses it again once the card is closed, both without a jump.
  expect(map.moves.at(-1)).not.toHaveProperty('padding');
  expect(map.padding).toMatchObject({ left: 404, bottom: 0 });
  const { length } = map.moves;
  await user.click(screen.getByRole('button', { name: "Close the driver's card" }));
  expect(map.padding).toMatchObject({ left: 0, bottom: 0 });
  expect([...map.jumps]).toEqual([0]);
  expect(map.moves).toHaveLength(length);
});

describe('on a phone', () => {
  let matchMedia: typeof window.matchMedia;
  beforeEach(() => {
    ({ matchMedia } = window);
    window.matchMedia = (query) => ({ ...matchMedia(query), matches: query.includes('767px') });
  });
  afterEach(() => {
    window.matchMedia = matchMedia;
  });

  it('keeps half of the map free of the sheet, also once the phone is turned', async () => {
    renderRoutes(trackerRoutes, '/driver-tracker-list');
    await waitFor(() => expect(map.padding).toMatchObject({ left: 0, bottom: 300 }), { timeout: 10_000 });
    size = LOW;
    act(() => map.listeners.get('resize')?.({}));
    expect(map.padding).toMatchObject({ left: 0, bottom: 150 });
  });

  it('has a sheet whose content cannot be reached while it is closed', async () => {
    const { user } = renderRoutes(trackerRoutes, '/driver-tracker-list');
    const search = await screen.findByRole('textbox', { name: 'Find a driver' }, { timeout: 10_000 });
    await user.click(screen.getByRole('button', { name: 'Open the list fully' }));
    expect(search.closest('[inert]')).toBeNull();
    await user.click(screen.getByRole('button', { name: 'Close the list' }));
    expect(search.closest('[inert]')).not.toBeNull();
    expect(screen.getByText(/^(Live|Not live|Connecting)/).closest('[inert]')).toBeNull();
  });
});

it('can be tried again if it only failed to load', async () => {
  failsToLoad = true;
  const { user } = renderRoutes(trackerRoutes, '/driver-tracker-list');
  await screen.findByText("The map couldn't be loaded. Try again, or reload the page.");
  expect(screen.getByRole('button', { name: 'Map' })).toBeEnabled();
  failsToLoad = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(drawn('drivers')).toHaveLength(2));
  expect(screen.queryByText(/The map couldn't be loaded/)).not.toBeInTheDocument();
});
