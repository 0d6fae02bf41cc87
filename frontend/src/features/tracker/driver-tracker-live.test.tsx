import { act, screen, waitFor, within } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { location, locationsOf } from '@/test/tracker';
import type { DriverLocation } from './queries';
import { trackerRoutes } from './routes';
// Fetched ahead, so that no test waits for it on a busy machine.
import './pages/driver-tracker-list-page';

// In a file of its own: a page has one connection, and leaves it to the next page for a while.
vi.setConfig({ testTimeout: 60_000 });

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const row = async (name: RegExp) =>
  within(await screen.findByRole('table', { name: 'Where the drivers are' })).findByRole('row', { name });

const push = (locations: DriverLocation[], cursor: string) =>
  act(() =>
    FakeSocket.last().push({
      driverPositionsChanged: { __typename: 'DriverLocations', locations, cursor, more: false },
    }),
  );
const subscribed = () =>
  FakeSocket.last()
    .open()
    .map(({ payload }) => payload as { query: string; variables: object })
    .find(({ query }) => query.includes('driverPositionsChanged'))?.variables;

it('moves a driver without being asked, and goes on behind what it has after a break', async () => {
  FakeSocket.install();
  const server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      DriverLocations: () => locationsOf([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(20) })]),
      DriverDays: () => ({ data: { driverDays: [] } }),
    },
  });
  const asked = (name: string) => server.calls.filter((call) => call.name === name);
  renderRoutes(trackerRoutes, '/driver-tracker-list');
  await row(/Rico Santos/);
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  await screen.findByText(/^Live, updated/);
  push([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(0), lat: 14.6, speedKmh: 52 })], 'c2');
  await waitFor(async () => expect(await row(/Rico Santos/)).toHaveTextContent('52 km/h'));
  expect(await row(/Rico Santos/)).toHaveTextContent('14.60000');

  const before = asked('DriverLocations').length;
  act(() => FakeSocket.last().close(1006));
  await screen.findByText('The connection was lost. Trying again...');
  expect(screen.getByText(/^Positions are those of \d+:\d\d [AP]M\.$/)).toBeInTheDocument();
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c2' }), { timeout: 10_000 });
  await waitFor(() => expect(screen.queryByText(/connection was lost/)).not.toBeInTheDocument());
  expect(asked('DriverLocations').length - before).toBeLessThanOrEqual(1);
});
