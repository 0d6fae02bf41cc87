import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { driver, foundDrivers, unpairedDevice } from '@/test/drivers';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './drivers-page';

const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let rows: object[];
let devices: object[];
let roles: string[];
let failing: boolean;
let paired: (input: { uniqueId: string; driverId: string }) => Answer;
let changed: Answer;

beforeEach(() => {
  failing = false;
  roles = ['dispatcher'];
  devices = [];
  rows = [
    driver('DRV-014', { lastSeenAt: new Date(Date.now() - 3 * 60_000).toISOString() }),
    driver('A/B 100%', {
      name: 'Mila Abad',
      username: 'mabad',
      status: 'blocked',
      lastSeenAt: null,
      onlineState: 'offline',
    }),
  ];
  changed = {
    data: {
      updateDriverStatus: { __typename: 'Driver', driverId: 'DRV-014', status: 'blocked', version: 4 },
    },
  };
  paired = ({ uniqueId, driverId }) => {
    devices = devices.filter((device) => (device as { uniqueId: string }).uniqueId !== uniqueId);
    return {
      data: {
        pairDevice: {
          __typename: 'Driver',
          driverId,
          name: 'Rico Santos',
          deviceUniqueIds: [uniqueId],
        },
      },
    };
  };
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 5000).toISOString();

it('says how old a stale position is, beside when the driver was heard', async () => {
  const base = driver('DRV-020');
  rows = [
    driver('DRV-020', {
      name: 'Old Backlog',
      onlineState: 'stale',
      lastSeenAt: minutesAgo(1),
      lastPosition: { ...base.lastPosition, occurredAt: minutesAgo(5) },
    }),
  ];
  await open();
  const row = await screen.findByRole('row', { name: /DRV-020/ });
  expect(row).toHaveTextContent('1 minute agoStale position5 minutes ago');
});

const tracking = { enabled: true, url: '', host: '0.0.0.0', port: 5263, path: '/', onPublicPort: false };

async function open() {
  server = startFakeServer({
    user: { ...rosa, roles, tracking },
    operations: {
      DriversPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('drivers', rows);
      },
      DriversByStatus: () => ({ data: { all: total(2), active: total(1), blocked: total(1) } }),
      DriversLookup: () => foundDrivers(['DRV-014', 'Rico Santos']),
      OpenOfDriver: () => ({ data: { open: total(7) } }),
      UpdateDriverStatus: () => changed,
      UnpairedDevices: () => ({ data: { unpairedDevices: devices } }),
      PairDevice: ({ input }) => paired(input as { uniqueId: string; driverId: string }),
    },
  });
  const view = renderRoutes(declarations, '/drivers');
  await screen.findByRole('heading', { level: 1, name: 'Drivers' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const page = () => sent('DriversPage').at(-1)?.variables.page as { where: unknown; sort: unknown };

async function choose(user: Awaited<ReturnType<typeof open>>['user'], name: string, item: string) {
  await user.click(await screen.findByRole('button', { name: `Actions for ${name}` }));
  await user.click(await screen.findByRole('menuitem', { name: item }));
}

function filtersOf(address: string) {
  const { searchParams } = new URL(address, 'http://localhost');
  return decodeFilters(searchParams.get('filters')).filters.map(({ key, operator, values }) => [
    key,
    operator,
    ...values.map(({ value }) => value),
  ]);
}

describe('the list of drivers', () => {
  it('shows who they are, whether they may work and when they were seen', async () => {
    await open();
    const first = await screen.findByRole('row', { name: /DRV-014/ });
    expect(first).toHaveTextContent(
      'DRV-014Rico SantosPermittedrsantosHabagat FleetNBC 12343 minutes agoOnline',
    );
    const blocked = screen.getByRole('row', { name: /Mila Abad/ });
    expect(blocked).toHaveTextContent('Blocked');
    expect(blocked).toHaveTextContent('NeverOffline');
    expect(within(blocked).getByRole('link', { name: 'A/B 100%' })).toHaveAttribute(
      'href',
      '/drivers/A%2FB%20100%25',
    );
    expect(screen.getByRole('link', { name: 'New driver' })).toHaveAttribute('href', '/drivers/new');
    expect(page().sort).toEqual([{ key: 'name', direction: 'asc' }]);
    await expectAccessible();
  });

  it('is filtered by access, Permitted or Blocked', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    const menu = within(await screen.findByRole('dialog'));
    for (const name of ['Driver', 'Access', 'Name', 'Username', 'Trucker']) {
      expect(menu.getByRole('button', { name })).toBeInTheDocument();
    }
    await user.click(menu.getByRole('button', { name: 'Access' }));
    expect(screen.getByRole('checkbox', { name: 'Permitted' })).toBeInTheDocument();
    await user.click(screen.getByRole('checkbox', { name: 'Blocked' }));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(page().where).toEqual([{ key: 'status', operator: 'equals', values: ['blocked'] }]),
    );
    expect(
      screen.getByRole('button', { name: 'Change filter: Access is Blocked' }),
    ).toBeInTheDocument();
  });

  it('is filtered by driver, who is looked up by id and by name', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    await user.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Driver' }));
    await user.type(screen.getByRole('combobox', { name: 'Value' }), 'rico');
    await user.click(await screen.findByRole('option', { name: 'Rico Santos (DRV-014)' }));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(page().where).toEqual([{ key: 'driverId', operator: 'equals', values: ['DRV-014'] }]),
    );
    expect(sent('DriversLookup').map(({ variables }) => variables)).toContainEqual({
      byId: {
        where: [{ key: 'driverId', operator: 'startsWith', values: ['rico'] }],
        sort: [{ key: 'driverId', direction: 'asc' }],
        limit: 30,
        offset: 0,
      },
      byName: {
        where: [{ key: 'name', operator: 'contains', values: ['rico'] }],
        sort: [{ key: 'name', direction: 'asc' }],
        limit: 30,
        offset: 0,
      },
    });
  });

  it('is narrowed to those who are blocked', async () => {
    const { user } = await open();
    const views = within(screen.getByRole('navigation', { name: 'Views' }));
    await user.click(await views.findByRole('link', { name: /^Blocked\s*1$/ }));
    await waitFor(() =>
      expect(page().where).toEqual([{ key: 'status', operator: 'equals', values: ['blocked'] }]),
    );
  });

  it('is found by driver name from the top bar', async () => {
    const { user } = await open();
    await user.type(screen.getByRole('textbox', { name: 'Driver name' }), 'san{Enter}');
    await waitFor(() =>
      expect(page().where).toEqual([{ key: 'name', operator: 'contains', values: ['san'] }]),
    );
  });

  it('blocks after a question that says what becomes of the open deliveries', async () => {
    const { user } = await open();
    await choose(user, 'Rico Santos', 'Block');
    const question = await screen.findByRole('alertdialog', { name: 'Block Rico Santos?' });
    expect(question).toHaveAccessibleDescription(/signed out.*stay assigned/);
    const deliveries = await within(question).findByRole('link', { name: 'Show 7 open deliveries' });
    expect(filtersOf(deliveries.getAttribute('href') ?? '')).toEqual([
      ['driverId', 'equals', 'DRV-014'],
      ['deliverystatus', 'equals', 'Pending', 'Undelivered'],
    ]);
    await expectAccessible(question);
    await user.click(within(question).getByRole('button', { name: 'Block driver' }));
    expect(await screen.findByText('Rico Santos blocked')).toBeInTheDocument();
    expect(sent('UpdateDriverStatus').map(({ variables }) => variables)).toEqual([
      { input: { driverId: 'DRV-014', status: 'blocked' } },
    ]);
  });

  it('permits a blocked driver, and says why that did not work', async () => {
    changed = { errors: [{ message: 'Drivers cannot be reached' }] };
    const { user } = await open();
    await choose(user, 'Mila Abad', 'Unblock');
    const question = within(await screen.findByRole('alertdialog', { name: 'Unblock Mila Abad?' }));
    await user.click(question.getByRole('button', { name: 'Unblock driver' }));
    expect(await question.findByRole('alert')).toHaveTextContent('Drivers cannot be reached');
    expect(sent('UpdateDriverStatus')[0]?.variables).toEqual({
      input: { driverId: 'A/B 100%', status: 'active' },
    });
  });

  it('opens the pages of a driver with the way back to the filtered list', async () => {
    const { user, address } = await open();
    await user.click(await screen.findByRole('link', { name: /^Blocked/ }));
    await waitFor(() => expect(filtersOf(address())).toEqual([['status', 'equals', 'blocked']]));
    const list = address();
    for (const [item, page] of [
      ['View', '/drivers/A%2FB%20100%25'],
      ['Edit', '/drivers/A%2FB%20100%25/edit'],
    ] as const) {
      await choose(user, 'Mila Abad', item);
      await waitFor(() => expect(address()).toBe(page));
      await user.click(await screen.findByRole('link', { name: 'Back to Drivers' }));
      await waitFor(() => expect(address()).toBe(list));
    }
  });

  it('leads to where a new PIN is made, and to the tracker', async () => {
    const { user, address } = await open();
    await choose(user, 'Rico Santos', 'Reset PIN');
    await waitFor(() => expect(address()).toMatch(/^\/driver-reset-password/));
    expect(filtersOf(address())).toEqual([['username', 'equals', 'rsantos']]);
  });

  it('only shows to whoever only reads', async () => {
    roles = ['viewer'];
    devices = [unpairedDevice('356938035643809')];
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Actions for Rico Santos' }));
    const items = (await screen.findAllByRole('menuitem')).map(({ textContent }) => textContent);
    expect(items).toEqual(['View', 'Track', 'Show open deliveries']);
    expect(screen.queryByRole('link', { name: 'New driver' })).not.toBeInTheDocument();
    expect(sent('UnpairedDevices')).toHaveLength(0);
  });

  it('says that there is nobody yet, and what failed', async () => {
    rows = [];
    const { unmount } = await open();
    await screen.findByRole('heading', { name: 'No drivers yet' });
    unmount();
    failing = true;
    await open();
    await screen.findByRole('heading', { name: 'Something went wrong' });
  });
});

describe('a device without a driver', () => {
  it('is announced, shown with what is known of it, and paired', async () => {
    devices = [unpairedDevice('356938035643809')];
    const { user } = await open();
    await screen.findByText('1 device is sending positions but has no driver');
    await user.click(screen.getByRole('button', { name: 'Pair devices' }));
    const panel = within(await screen.findByRole('dialog', { name: 'Pair devices' }));
    const card = panel.getByRole('listitem', { name: '356938035643809' });
    expect(card).toHaveTextContent('14.55900, 121.02000 ± 8 m');
    expect(card).toHaveTextContent('Positions sent1,204');
    expect(card).toHaveTextContent('Traccar Client');
    await user.click(panel.getByRole('button', { name: 'Pair' }));
    expect(await panel.findByText('Choose a driver from the list')).toBeInTheDocument();
    await user.type(panel.getByRole('combobox', { name: 'Driver' }), 'rico');
    await user.click(await panel.findByRole('option', { name: 'Rico Santos (DRV-014)' }));
    const permitted = { key: 'status', operator: 'equals', values: ['active'] };
    expect(sent('DriversLookup').at(-1)?.variables).toMatchObject({
      byId: { where: [{ key: 'driverId' }, permitted] },
      byName: { where: [{ key: 'name' }, permitted] },
    });
    await expectAccessible();
    await user.click(panel.getByRole('button', { name: 'Pair' }));
    expect(await screen.findByText('356938035643809 paired with Rico Santos')).toBeInTheDocument();
    expect(sent('PairDevice').map(({ variables }) => variables)).toEqual([
      { input: { uniqueId: '356938035643809', driverId: 'DRV-014' } },
    ]);
    await panel.findByText(/No devices are waiting for a driver/);
  });

  it('stays, with the reason, when somebody else has it', async () => {
    devices = [unpairedDevice('phone-1'), unpairedDevice('phone-2')];
    paired = () => ({
      errors: [
        {
          message: 'The device belongs to DRV-033. Unpair it there first.',
          extensions: { code: 'FAILED_PRECONDITION', reason: 'DEVICE_TAKEN' },
        },
      ],
    });
    const { user } = await open();
    await screen.findByText('2 devices are sending positions but have no driver');
    await user.click(screen.getByRole('button', { name: 'Pair devices' }));
    const panel = within(await screen.findByRole('dialog'));
    await user.click(panel.getByRole('button', { name: 'Pair phone-2' }));
    const form = within(panel.getByRole('form', { name: 'Driver for phone-2' }));
    await user.type(form.getByRole('combobox', { name: 'Driver' }), 'rico');
    await user.click(await form.findByRole('option', { name: 'Rico Santos (DRV-014)' }));
    await user.click(form.getByRole('button', { name: 'Pair' }));
    expect(await form.findByRole('alert')).toHaveTextContent('Unpair it there first.');
    expect(panel.getByRole('listitem', { name: 'phone-2' })).toBeInTheDocument();
  });

  it('is what the panel explains how to get, while there is none', async () => {
    const { user } = await open();
    await user.click(await screen.findByRole('button', { name: 'Pair a device' }));
    const panel = within(await screen.findByRole('dialog'));
    await panel.findByText(/No devices are waiting for a driver/);
    const box = panel.getByRole('textbox', { name: 'Server address' });
    expect(box).toHaveValue('http://localhost:5263');
    for (const app of ['Traccar Client', 'OsmAnd', 'OwnTracks']) {
      expect(panel.getByText(app)).toBeInTheDocument();
    }
    await expectAccessible();
  });

  it('proposes an address with the unit of speed and an id that nobody guesses', async () => {
    const { user } = await open();
    const proposed: string[] = [];
    for (const _ of ['first', 'second']) {
      await user.click(await screen.findByRole('button', { name: 'Pair a device' }));
      const panel = within(await screen.findByRole('dialog'));
      await user.click(panel.getByRole('button', { name: 'OsmAnd' }));
      const { value } = panel.getByRole<HTMLTextAreaElement>('textbox', { name: 'Server address' });
      expect(value).toContain('http://localhost:5263/?id=');
      expect(value).toContain('&speed={5}&speed_unit=ms&');
      expect(await panel.findByRole('img', { name: 'QR code of the address' })).toBeInTheDocument();
      proposed.push(/[?]id=(\w+)/.exec(value)?.[1] ?? '');
      await user.keyboard('{Escape}');
      await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
    }
    expect(proposed[0]).toMatch(/^[0-9a-f]{16}$/);
    expect(proposed[1]).not.toBe(proposed[0]);
  });
});
