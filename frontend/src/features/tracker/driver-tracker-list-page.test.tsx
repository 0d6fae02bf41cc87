import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { noteServerTime } from '@/data/server-clock';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { cardDeliveries, driverCard, location, locationsOf } from '@/test/tracker';
import type { RouteEntry } from '@/routing/declarations';
import type { DriverLocation } from './queries';
import { trackerRoutes } from './routes';
// Loaded up front, so that no test waits for a lazy import.
import './driver-tracker-list-page';

vi.setConfig({ testTimeout: 20_000 });

let server: FakeServer;
let drivers: DriverLocation[];
let failing: boolean;
/** The current delivery and its dispatch time, by driver. */
let current: Record<string, [string, string]>;
let hasNoDeliveries: boolean;
/** Sends the deliveries of a card, if they are held back. */
let release: (() => void) | undefined;
let slow: boolean;
/** The IDs of each query for progress. */
let daysAsked: string[][];
/** The deliveries that a search finds: those planned for today, and the latest of all. */
let matches: { today: object[]; latest: object[] };
/** Queries for the progress of this driver fail. */
let lostDays: string | undefined;

const delivery = (id: string, driverId: string) => ({ __typename: 'Delivery', id, driverId });
const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();

beforeEach(() => {
  FakeSocket.install();
  failing = false;
  daysAsked = [];
  matches = { today: [], latest: [delivery('DR-1184228', 'DRV-031')] };
  lostDays = undefined;
  hasNoDeliveries = false;
  slow = false;
  release = undefined;
  current = {};
  drivers = [
    location('DRV-014', { name: 'Rico Santos', occurredAt: ago(20) }),
    location('DRV-020', { name: 'Marites Dela Cruz', occurredAt: ago(70), speedKmh: 0 }),
    location('DRV-031', { name: 'Jomar Aquino', occurredAt: ago(380), batteryPct: null }),
    location('DRV-007', { name: 'Edwin Salazar', occurredAt: ago(2900), speedKmh: 40 }),
  ];
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      DriverLocations: () => {
        if (failing) throw new TypeError('lost');
        return locationsOf(drivers);
      },
      DriverDays: ({ driverIds }) => {
        const ids = driverIds as string[];
        daysAsked.push(ids);
        if (lostDays && ids.includes(lostDays)) throw new TypeError('lost');
        const days = [
          { __typename: 'DriverDay', driverId: 'DRV-014', total: 18, done: 12 },
          { __typename: 'DriverDay', driverId: 'D-1000', total: 4, done: 1 },
        ];
        return { data: { driverDays: days.filter(({ driverId }) => ids.includes(driverId)) } };
      },
      DriverCard: ({ driverId }) => {
        const card = driverCard(String(driverId));
        const [day] = card.data.driverDays;
        const [id] = current[String(driverId)] ?? [];
        if (day && id) Object.assign(day, { currentDeliveryId: id, nextDeliveryId: null });
        return card;
      },
      DriverCardDeliveries: async ({ current: asked }) => {
        const own = Object.values(current).find(([id]) => id === asked);
        if (slow) await new Promise<void>((resolve) => (release = resolve));
        if (hasNoDeliveries) throw new TypeError('lost');
        if (!own) return cardDeliveries;
        const [id, scheduledatetime] = own;
        return { data: { current: { ...cardDeliveries.data.current, id, scheduledatetime } } };
      },
      DriverPositions: () => ({
        data: { driverPositions: { __typename: 'DriverPositions', positions: [], cursor: null, more: false } },
      }),
      DriversOfDeliveries: () => ({ data: matches }),
    },
  });
});

/** Renders the page without the frame of the app, which most of these tests do not need. */
async function open(routes: readonly RouteEntry[] = trackerRoutes, search = '') {
  const view = renderRoutes(routes, `/driver-tracker-list${search}`);
  await screen.findByRole('region', { name: 'Drivers' }, { timeout: 15_000 });
  return view;
}

const table = () => screen.findByRole('table', { name: 'Driver positions' });
const row = async (name: RegExp) => within(await table()).findByRole('row', { name });
const list = () => screen.findByRole('list', { name: 'Drivers on the map' });

describe('without a map', () => {
  it('says in a table where everybody is and how fresh that is, by word', async () => {
    await open();
    await waitFor(async () =>
      expect(await row(/Rico Santos/)).toHaveTextContent(
        /^Rico SantosMoving\d\d s ago, \w{3} \d+, \d{4} \d+:\d\d [AP]M31 km\/hWNW64%8 m14.55000, 121.0200012 of 18Open trail Rico Santos$/,
      ),
    );
    expect(await row(/Marites Dela Cruz/)).toHaveTextContent(/Stopped1 min ago, .+M0 km\/h/);
    expect(await row(/Jomar Aquino/)).toHaveTextContent('Stale position6 min ago');
    expect(await row(/Edwin Salazar/)).toHaveTextContent('Offline48 min ago');
    expect(screen.getByText("Maps aren't supported in this browser. Use the table.")).toBeVisible();
    expect(screen.getByRole('button', { name: 'Map' })).toBeDisabled();
    await expectAccessible();
  });

  it('takes nobody for live any more whose feed died', async () => {
    drivers = [location('DRV-014', { name: 'Rico Santos', occurredAt: ago(20) })];
    await open();
    expect(await row(/Rico Santos/)).toHaveTextContent('Moving');
    const now = Date.now;
    const later = vi.spyOn(Date, 'now').mockImplementation(() => now() + 101_000);
    try {
      await waitFor(async () => expect(await row(/Rico Santos/)).toHaveTextContent('Stale'), { timeout: 8000 });
    } finally {
      later.mockRestore();
    }
  });
});

it("goes by the server's clock where this computer's is wrong", async () => {
  const note = (aheadSeconds: number) => {
    const date = new Date(Date.now() + aheadSeconds * 1000).toUTCString();
    noteServerTime(new Response(null, { headers: { date } }), Date.now());
  };
  note(600);
  try {
    drivers = [
      location('DRV-014', { name: 'Rico Santos', occurredAt: ago(-570) }),
      location('DRV-020', { name: 'Marites Dela Cruz', occurredAt: ago(20) }),
    ];
    await open();
    const rows = within(await list()).getAllByRole('button');
    expect(rows.map((each) => each.textContent)).toEqual([
      expect.stringMatching(/^RSRico SantosMovingSeen \d\d s ago/),
      'MCMarites Dela CruzOfflineSeen 10 min ago',
    ]);
  } finally {
    note(0);
  }
});

describe('the list beside it', () => {
  it('shows each driver with state, age and progress, and counts them by state', async () => {
    await open();
    await within(await list()).findByText('12 of 18');
    const rows = within(await list()).getAllByRole('button');
    expect(rows.map((each) => each.textContent)).toEqual([
      expect.stringMatching(/^RSRico SantosMovingSeen \d\d s ago12 of 18$/),
      'MCMarites Dela CruzStoppedSeen 1 min ago',
      'JAJomar AquinoStale positionSeen 6 min ago',
      'ESEdwin SalazarOfflineSeen 48 min ago',
    ]);
    const states = within(screen.getByRole('group', { name: 'Filter by state' }));
    expect(states.getAllByRole('button').map(({ textContent }) => textContent)).toEqual([
      'All 4',
      'Moving 1',
      'Stopped 1',
      'Stale 1',
      'Offline 1',
    ]);
  });

  it('is narrowed by state, by name, by id and by a document', async () => {
    const { user } = await open();
    const names = async () =>
      within(await list())
        .getAllByRole('button')
        .map(({ dataset }) => dataset.driver);
    await list();
    await user.click(screen.getByText('Stale 1'));
    expect(await names()).toEqual(['DRV-031']);
    await user.click(screen.getByText(/^All \d$/));
    const box = screen.getByLabelText('Find a driver');
    await user.type(box, 'dela');
    expect(await names()).toEqual(['DRV-020']);
    await user.clear(box);
    await user.type(box, 'drv-007');
    expect(await names()).toEqual(['DRV-007']);
    await user.clear(box);
    await user.type(box, '1184228');
    await waitFor(async () => expect(await names()).toEqual(['DRV-031']));
    await user.clear(box);
    await user.type(box, 'nobody');
    await screen.findByRole('heading', { name: 'No drivers match' });
    await user.click(screen.getByRole('button', { name: 'Clear the search' }));
    expect(box).toHaveValue('');
    expect(box).toHaveFocus();
  });

  it("finds the drivers of today's deliveries among many of other days, and says that there are more", async () => {
    matches = {
      today: [delivery('DR-104001', 'DRV-020')],
      latest: Array.from({ length: 100 }, (_, index) => delivery(`DR-1040${index}`, 'DRV-031')),
    };
    const { user } = await open();
    const box = await screen.findByLabelText('Find a driver');
    await user.type(box, '104');
    expect(await screen.findByText(/^Many deliveries match/)).toHaveRole('status');
    const found = within(await list()).getAllByRole('button').map(({ dataset }) => dataset.driver);
    expect(found).toEqual(['DRV-020', 'DRV-031']);
    const matching = [
      { key: 'id', operator: 'contains', values: ['104'] },
      { key: 'driverId', operator: '!isEmpty', values: [] },
    ];
    expect(server.calls.findLast(({ name }) => name === 'DriversOfDeliveries')?.variables).toMatchObject({
      today: { where: [...matching, { key: 'scheduledatetime', operator: 'inDateRange' }] },
      latest: { where: matching },
    });
    await expectAccessible();

    // Searching again finds what was assigned since.
    matches = { today: [], latest: [delivery('DR-104001', 'DRV-014')] };
    await user.clear(box);
    await user.type(box, '104');
    await waitFor(async () =>
      expect(within(await list()).getAllByRole('button').map(({ dataset }) => dataset.driver)).toEqual(['DRV-014']),
    );
  });

  it('leaves out who sent no position today, until they are asked for or searched', async () => {
    drivers.push(location('DRV-052', { name: 'Nena Tolentino', occurredAt: ago(2 * 86_400) }));
    const { user } = await open();
    const names = async () =>
      within(await list())
        .getAllByRole('button')
        .map(({ dataset }) => dataset.driver);
    await list();
    expect(await names()).toHaveLength(4);
    expect(screen.getByText('Offline 1')).toBeInTheDocument();
    expect(within(await table()).queryByRole('row', { name: /Nena/ })).not.toBeInTheDocument();
    const box = screen.getByLabelText('Find a driver');
    await user.type(box, 'nena');
    expect(await names()).toEqual(['DRV-052']);
    await user.clear(box);
    await user.click(screen.getByRole('checkbox', { name: 'Show 1 driver without a position today' }));
    expect(await names()).toHaveLength(5);
    expect(screen.getByText('Offline 2')).toBeInTheDocument();
    await expectAccessible();
  });

  const many = () =>
    Array.from({ length: 1001 }, (_, index) => location(`D-${String(index).padStart(4, '0')}`, { occurredAt: ago(20) }));

  it('reads the progress of more drivers than fit in one query, but not of those that are left out', async () => {
    drivers = many();
    drivers.push(location('QUIET-1', { name: 'Nena Tolentino', occurredAt: ago(2 * 86_400) }));
    const { user } = await open();
    await list();
    await waitFor(() => expect(daysAsked.map(({ length }) => length).slice(-2)).toEqual([1000, 1]));
    expect(daysAsked.flat()).not.toContain('QUIET-1');
    // A search finds them as well. It reads once, not for each letter.
    const before = daysAsked.length;
    await user.type(screen.getByLabelText('Find a driver'), 'D-1000');
    await within(await list()).findByText('1 of 4');
    expect(daysAsked.slice(before).map(({ length }) => length)).toEqual([1000, 2]);
  });

  it('shows the progress of the other drivers if one of the queries fails', async () => {
    drivers = many();
    lostDays = 'D-0000';
    const { user } = await open();
    await user.type(screen.getByLabelText('Find a driver'), 'D-1000');
    await within(await list()).findByText('1 of 4');
  });

  it('says that nobody sent a position today where all are left out', async () => {
    drivers = [location('DRV-052', { name: 'Nena Tolentino', occurredAt: ago(2 * 86_400) })];
    await open();
    await screen.findByRole('heading', { name: 'No positions today' });
  });

  it('is found by driver name from the top bar', async () => {
    const { user, address } = await open(declarations);
    await list();
    await user.type(screen.getByRole('textbox', { name: 'Driver name' }), 'Rico{Enter}');
    await waitFor(async () => expect(within(await list()).getAllByRole('button')).toHaveLength(1));
    expect(address()).toMatch(/^\/driver-tracker-list\?filters=/);
  });

  it('is walked through by arrows', async () => {
    const { user } = await open();
    const [first, second] = await within(await list()).findAllByRole('button');
    act(() => first?.focus());
    await user.keyboard('{ArrowDown}');
    expect(second).toHaveFocus();
    await user.keyboard('{ArrowUp}');
    expect(first).toHaveFocus();
  });
});

describe('a driver who is selected', () => {
  it('has a card with what one needs to know and do', async () => {
    const { user, address } = await open();
    await user.click(await within(await list()).findByRole('button', { name: /Rico Santos/ }));
    const card = within(await screen.findByRole('region', { name: 'Driver Rico Santos' }));
    await card.findByText('DRV-014 · NBC 4821 · Habagat Fleet');
    expect(card.getByText('31 km/h')).toBeInTheDocument();
    expect(card.getByText('64%')).toBeInTheDocument();
    expect(card.getByText('12 of 18')).toBeInTheDocument();
    const seen = card.getByText(/ s ago$/);
    seen.focus();
    expect(seen).toHaveFocus();
    expect(seen).toHaveAttribute('data-tip', expect.stringMatching(/, \d{4} /));
    expect(await card.findByText('Kabalen Super BGC')).toBeInTheDocument();
    expect(card.getByRole('link', { name: 'DR-1184228' })).toHaveAttribute('href', '/view-delivery/DR-1184228');
    expect(card.getByRole('link', { name: 'Call' })).toHaveAttribute('href', 'tel:+639175550147');
    expect(card.getByRole('link', { name: 'Open trail' })).toHaveAttribute('href', '/driver-tracker/DRV-014');
    expect(address()).toBe('/driver-tracker-list?driver=DRV-014');
    await expectAccessible();
    await user.click(card.getByRole('button', { name: "Close the driver's card" }));
    expect(address()).toBe('/driver-tracker-list');
  });
});

describe('a link to a driver', () => {
  it('finds the driver whatever the case of the ID', async () => {
    await open(trackerRoutes, '?driver=drv-014');
    await screen.findByRole('region', { name: 'Driver Rico Santos' });
    expect(screen.queryByText(/^No position for driver/)).not.toBeInTheDocument();
  });

  it('says that the driver has no position, and can be cleared', async () => {
    const { user, address } = await open(trackerRoutes, '?driver=DRV-999');
    await screen.findByText('No position for driver DRV-999');
    await user.click(screen.getByRole('button', { name: 'Clear selection' }));
    expect(address()).toBe('/driver-tracker-list');
    expect(screen.queryByText(/^No position for driver/)).not.toBeInTheDocument();
  });
});

describe('the deliveries on the card', () => {
  const cardOf = async (name: string) => within(await screen.findByRole('region', { name: `Driver ${name}` }));
  const choose = async (user: Awaited<ReturnType<typeof open>>['user'], name: RegExp) =>
    user.click(await within(await list()).findByRole('button', { name }));

  it('are those of this driver, and follow changes made elsewhere', async () => {
    current = { 'DRV-014': ['DR-1', '2026-11-20T06:30:00Z'], 'DRV-020': ['DR-2', '2026-11-20T07:00:00Z'] };
    const { user } = await open();
    await choose(user, /Rico Santos/);
    const rico = await cardOf('Rico Santos');
    expect((await rico.findByRole('link', { name: 'DR-1' })).closest('li')).toHaveTextContent('2:30 PM');
    current['DRV-014'] = ['DR-1', '2026-11-20T06:55:00Z'];
    act(() => FakeSocket.last().push({ deliveriesChanged: true }));
    await waitFor(() => expect(rico.getByRole('link', { name: 'DR-1' }).closest('li')).toHaveTextContent('2:55 PM'));

    slow = true;
    await choose(user, /Marites Dela Cruz/);
    const marites = await cardOf('Marites Dela Cruz');
    await waitFor(() => expect(release).toBeDefined());
    await marites.findByText('12 of 18');
    expect(marites.queryByText('Kabalen Super BGC')).not.toBeInTheDocument();
    act(() => release?.());
    await marites.findByRole('link', { name: 'DR-2' });
  });

  it('can be read again after a failure', async () => {
    hasNoDeliveries = true;
    const { user } = await open();
    await choose(user, /Rico Santos/);
    const card = await cardOf('Rico Santos');
    await card.findByText("Couldn't load this driver's deliveries.");
    hasNoDeliveries = false;
    await user.click(card.getByRole('button', { name: 'Retry' }));
    await card.findByText('Kabalen Super BGC');
    expect(card.queryByRole('alert')).not.toBeInTheDocument();
  });
});

it('says that nobody has been seen yet, and what failed', async () => {
  drivers = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No positions yet' });
  unmount();
  failing = true;
  const { user } = await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
  failing = false;
  drivers = [location('DRV-014', { name: 'Rico Santos', occurredAt: ago(1) })];
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await row(/Rico Santos/);
});
