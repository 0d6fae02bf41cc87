import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import type { RouteEntry } from '@/routing/declarations';
import { setHidden } from '@/test/clock';
import { rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { location, locationsOf } from '@/test/tracker';
import type { DriverLocation } from './queries';
import { trackerRoutes } from './routes';
// Loaded up front, so that no test waits for a lazy import.
import './driver-tracker-list-page';

vi.setConfig({ testTimeout: 60_000 });

const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
const row = async (name: RegExp) =>
  within(await screen.findByRole('table', { name: 'Driver positions' })).findByRole('row', { name });

const push = (locations: DriverLocation[], cursor: string) =>
  act(() =>
    FakeSocket.last().push({
      driverPositionsChanged: { __typename: 'DriverLocations', locations, cursor, more: false },
    }),
  );
const subscriptions = () =>
  FakeSocket.last()
    .open()
    .map(({ payload }) => payload as { query: string; variables: object })
    .filter(({ query }) => query.includes('driverPositionsChanged'))
    .map(({ variables }) => variables);
const subscribed = () => subscriptions()[0];

const lost = 'Connection lost. Trying again...';
const elsewhere = () => Promise.resolve({ default: () => <h1>Elsewhere</h1> });
const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    routes: [...trackerRoutes, { name: 'elsewhere', path: '/elsewhere', page: elsewhere }],
  },
];

function open() {
  const server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    login: ({ username }) => ({ user: { ...rosa, id: `id of ${username}`, username, roles: ['viewer'] } }),
    token: ({ username }) => `token of ${username}`,
    operations: {
      DriverLocations: () => locationsOf([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(20) })]),
      DriverDays: () => ({ data: { driverDays: [] } }),
    },
  });
  const asked = (name: string) => server.calls.filter((call) => call.name === name);
  const wasShown: string[] = [];
  const watcher = new MutationObserver(() => {
    if (screen.queryByText(lost)) wasShown.push(lost);
  });
  watcher.observe(document.body, { subtree: true, childList: true, characterData: true });
  return { ...renderRoutes(declarations, '/driver-tracker-list'), asked, wasShown };
}

const live = () => screen.findByText(/^Live, updated/);
const inits = () =>
  FakeSocket.all.flatMap(({ sent }) => sent).filter(({ type }) => type === 'connection_init');

beforeEach(() => FakeSocket.install());

it('moves a driver without being asked, and goes on behind what it has after a break', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const { asked } = open();
  await row(/Rico Santos/);
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  await live();
  push([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(0), lat: 14.6, speedKmh: 52 })], 'c2');
  await waitFor(async () => expect(await row(/Rico Santos/)).toHaveTextContent('52 km/h'));
  expect(await row(/Rico Santos/)).toHaveTextContent('14.60000');

  const before = asked('DriverLocations').length;
  FakeSocket.reachable = false;
  act(() => FakeSocket.last().close(1006));
  await act(() => vi.advanceTimersByTimeAsync(3000));
  await screen.findByText(lost);
  expect(screen.getByText(/^Showing positions as of \d+:\d\d [AP]M\.$/)).toBeInTheDocument();
  FakeSocket.reachable = true;
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c2' }));
  await live();
  expect(screen.queryByText(lost)).not.toBeInTheDocument();
  expect(asked('DriverLocations').length - before).toBeLessThanOrEqual(2);
});

it('neither reads nor listens in a hidden tab, and goes on behind what it has when the tab is shown again', async () => {
  const { asked } = open();
  await row(/Rico Santos/);
  await live();
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  setHidden(true);
  await waitFor(() => expect(subscriptions()).toEqual([]));
  const before = asked('DriverLocations').length;
  setHidden(false);
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  expect(asked('DriverLocations').slice(before).map(({ variables }) => variables)).toEqual([{ after: 'c1' }]);
  await live();
});

it('reconnects without a word when the server closes the connection of an expired token', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const { wasShown } = open();
  await row(/Rico Santos/);
  await live();
  push([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(0) })], 'c2');
  act(() => FakeSocket.last().close(4403));
  await act(() => vi.advanceTimersByTimeAsync(1000));
  await waitFor(() => expect(FakeSocket.all).toHaveLength(2));
  // Positions go on after the last one that was received.
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c2' }));
  await act(() => vi.advanceTimersByTimeAsync(5000));
  await live();
  expect(wasShown).toEqual([]);
});

it('is live again after an error of its updates, although the connection was never lost', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setTimeout', 'clearTimeout'] });
  const { asked } = open();
  await row(/Rico Santos/);
  await live();
  const [{ id } = {}] = FakeSocket.last().open('driverPositionsChanged');
  const message = { id, type: 'error', payload: [{ message: 'down' }] };
  act(() => FakeSocket.last().onmessage?.({ data: JSON.stringify(message) }));
  await screen.findByText(lost);
  const before = asked('DriverLocations').length;
  await act(() => vi.advanceTimersByTimeAsync(10_000));
  await waitFor(() => expect(asked('DriverLocations').length).toBeGreaterThan(before));
  await waitFor(() => expect(FakeSocket.last().open('driverPositionsChanged').at(-1)?.id).not.toBe(id));
  push([location('DRV-014', { name: 'Rico Santos', occurredAt: ago(0) })], 'c2');
  await live();
  expect(screen.queryByText(lost)).not.toBeInTheDocument();
  expect(FakeSocket.all).toHaveLength(1);
});

it('is live at once for who was away for less than a connection is kept, and soon for who was longer', async () => {
  const { router, wasShown } = open();
  await row(/Rico Santos/);
  await live();
  await act(() => router.navigate('/elsewhere'));
  await screen.findByRole('heading', { name: 'Elsewhere' });
  await act(() => router.navigate('/driver-tracker-list'));
  await live();
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  expect(FakeSocket.all).toHaveLength(1);

  await act(() => router.navigate('/elsewhere'));
  await waitFor(() => expect(FakeSocket.last().readyState).toBe(FakeSocket.CLOSED));
  await act(() => router.navigate('/driver-tracker-list'));
  await row(/Rico Santos/);
  await live();
  expect(FakeSocket.all).toHaveLength(2);
  expect(wasShown).toEqual([]);
});

it('has a connection of their own for whoever signs in next, and says live when that is there', async () => {
  const { auth, router, wasShown } = open();
  await row(/Rico Santos/);
  await live();
  const [first] = FakeSocket.all;
  await act(() => auth.logOut());
  await screen.findByRole('heading', { name: 'Sign in' });
  // The socket must not stay open until the next user signs in.
  await waitFor(() => expect(first?.readyState).toBe(FakeSocket.CLOSED), { timeout: 1000 });

  FakeSocket.reachable = false;
  await act(async () => void (await auth.logIn({ username: 'benjie', password: 'right' })));
  await act(() => router.navigate('/driver-tracker-list'));
  await row(/Rico Santos/);
  await waitFor(() => expect(FakeSocket.all.length).toBeGreaterThan(1));
  expect(screen.queryByText(/^Live, updated/)).not.toBeInTheDocument();
  FakeSocket.reachable = true;
  await live();
  await waitFor(() => expect(subscribed()).toEqual({ after: 'c1' }));
  expect(inits().map(({ payload }) => payload)).toEqual([
    { authorization: 'Bearer token of rosa' },
    { authorization: 'Bearer token of benjie' },
  ]);
  expect(subscriptions()).toHaveLength(1);
  expect(wasShown).toEqual([]);
});
