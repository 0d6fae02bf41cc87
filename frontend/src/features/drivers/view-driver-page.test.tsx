import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { driver, driverLog } from '@/test/drivers';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { NEWLY_MADE } from './driver';
// Loaded up front, so that no test waits for a lazy import.
import './view-driver-page';

const ID = 'A/B 100%';
const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let found: object | null;
let roles: string[];
let today: object[];
let logs: object[];
let failing: boolean;

beforeEach(() => {
  found = driver(ID);
  roles = ['dispatcher'];
  today = [deliveryRow(7), deliveryRow(8, { deliverystatus: 'Undelivered' })];
  logs = [driverLog('l2', { activity: 'outcome_submitted', deliveryId: 'DR-7' }), driverLog('l1')];
  failing = false;
});

function show(state?: object) {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      ViewDriver: () =>
        failing
          ? { data: { driver: null }, errors: [{ message: 'Drivers cannot be reached' }] }
          : { data: { driver: found } },
      DriverDeliveries: () => ({
        data: { deliveries: today, today: total(today.length), open: total(5) },
      }),
      DriverActivity: () => ({ data: { driverLogs: logs } }),
      OpenOfDriver: () => ({ data: { open: total(5) } }),
      UnpairDevice: () => ({
        data: { unpairDevice: { __typename: 'Driver', driverId: ID, deviceUniqueIds: [] } },
      }),
      UpdateDriverStatus: () => {
        found = driver(ID, { status: 'blocked' });
        logs = [driverLog('l3', { activity: 'blocked' }), ...logs];
        return {
          data: {
            updateDriverStatus: { __typename: 'Driver', driverId: ID, status: 'blocked', version: 4 },
          },
        };
      },
    },
  });
  return renderRoutes(declarations, { pathname: '/drivers/A%2FB%20100%25', state });
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const region = (name: string) => screen.findByRole('region', { name });

function filtersOf(link: HTMLElement) {
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  return decodeFilters(searchParams.get('filters')).filters.map(({ key, operator, values }) => [
    key,
    operator,
    ...values.map(({ value }) => value),
  ]);
}

describe('the page of a driver', () => {
  it('shows the facts, whatever is in the id', async () => {
    show();
    await screen.findByRole('heading', { level: 2, name: 'Rico Santos' });
    expect(sent('ViewDriver')[0]?.variables).toEqual({ driverId: ID });
    const facts = await region('Details');
    expect(facts).toHaveTextContent('Driver IDA/B 100%Usernamersantos');
    expect(facts).toHaveTextContent('License expiryMar 31, 2028');
    expect(facts).toHaveTextContent('Tracking consentMar 2, 2026 9:12 AM');
    expect(facts).toHaveTextContent('Oct 30, 2026 5:12 PMby dennis');
    expect(screen.getByRole('link', { name: 'Edit' })).toHaveAttribute(
      'href',
      '/drivers/A%2FB%20100%25/edit',
    );
    expect(screen.getByRole('link', { name: 'Track' })).toHaveAttribute(
      'href',
      '/driver-tracker/A%2FB%20100%25',
    );
    await expectAccessible();
  });

  it('shows where the driver was last', async () => {
    show();
    const panel = await region('Last position');
    expect(panel).toHaveTextContent('Online');
    expect(panel).toHaveTextContent('14.55900, 121.02000 ± 12 m');
    expect(panel).toHaveTextContent('32 km/h');
    expect(panel).toHaveTextContent('64%, charging');
    expect(panel).toHaveTextContent('Sent byOsmAnd');
  });

  it('tells how old the position is from when the driver was heard', async () => {
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000 - 5000).toISOString();
    const base = driver(ID);
    found = driver(ID, {
      lastPosition: { ...base.lastPosition, occurredAt: ago(5) },
      lastSeenAt: ago(1),
      onlineState: 'stale',
    });
    show();
    const panel = await region('Last position');
    expect(panel).toHaveTextContent('Stale');
    expect(panel).toHaveTextContent('Recorded5 minutes ago');
    expect(panel).toHaveTextContent('Last seen1 minute ago');
  });

  it('says what to do about a driver of whom nothing was heard', async () => {
    found = driver(ID, {
      lastPosition: null,
      lastSeenAt: null,
      onlineState: 'offline',
      deviceUniqueIds: [],
    });
    today = [];
    logs = [];
    show();
    expect(await region('Last position')).toHaveTextContent(/Pair a device with this driver/);
    expect(await region('Devices')).toHaveTextContent('No device is paired');
    await screen.findByText('No deliveries today.');
    await screen.findByText('No activity logged yet.');
  });

  it('shows what is planned for today and what was done last', async () => {
    show();
    const panel = within(await region("Today's deliveries"));
    expect(await panel.findByRole('link', { name: 'DR-7' })).toHaveAttribute(
      'href',
      '/view-delivery/DR-7',
    );
    // Midnight in the organization's time zone is 16:00 UTC of the day before.
    const midnight: unknown = expect.stringMatching(/T16:00:00.000Z$/);
    expect(sent('DriverDeliveries')[0]?.variables).toMatchObject({
      page: {
        where: [
          { key: 'driverId', operator: 'equals', values: [ID] },
          { key: 'scheduledatetime', operator: 'inDateRange', values: [midnight, midnight] },
        ],
      },
    });
    expect(filtersOf(panel.getByRole('link', { name: 'Show 5 open deliveries' }))).toEqual([
      ['driverId', 'equals', ID],
      ['deliverystatus', 'equals', 'Pending', 'Undelivered'],
    ]);
    const activity = within(await region('Recent activity'));
    expect(await activity.findByRole('link', { name: 'Outcome sent' })).toHaveAttribute(
      'href',
      '/view-driver-activity-log/l2',
    );
    expect(filtersOf(activity.getByRole('link', { name: 'Show the driver log' }))).toEqual([
      ['driverId', 'equals', ID],
    ]);
  });

  it('follows deliveries that change elsewhere, and the driver log', async () => {
    FakeSocket.install();
    vi.useFakeTimers({ shouldAdvanceTime: true });
    show();
    const panel = await region("Today's deliveries");
    await waitFor(() => expect(panel).toHaveTextContent('DR-7'));
    const activity = await region('Recent activity');
    await within(activity).findByRole('link', { name: 'Outcome sent' });
    await waitFor(() => expect(FakeSocket.last().open('deliveriesChanged')).toHaveLength(1));
    today = [deliveryRow(7, { deliverystatus: 'Rejected' })];
    logs = [driverLog('l3', { activity: 'logout' })];
    act(() => FakeSocket.last().push({ deliveriesChanged: true }));
    await act(() => vi.advanceTimersByTimeAsync(5000));
    await waitFor(() => expect(panel).toHaveTextContent('Rejected'));
    await act(() => vi.advanceTimersByTimeAsync(30_000));
    await within(activity).findByRole('link', { name: 'Signed out' });
  });

  it('takes a device away after a question', async () => {
    const { user } = show();
    await user.click(await screen.findByRole('button', { name: 'Unpair 356938035643809' }));
    const question = await screen.findByRole('alertdialog', {
      name: 'Unpair 356938035643809 from Rico Santos?',
    });
    expect(question).toHaveAccessibleDescription(/Positions it has already sent stay/);
    await user.click(within(question).getByRole('button', { name: 'Unpair device' }));
    expect(await screen.findByText('356938035643809 unpaired')).toBeInTheDocument();
    expect(sent('UnpairDevice')[0]?.variables).toEqual({
      input: { uniqueId: '356938035643809', driverId: ID },
    });
  });

  it('blocks, and then leads to the deliveries that somebody else has to bring', async () => {
    const { user } = show();
    const panel = within(await region('Access'));
    await user.click(panel.getByRole('button', { name: 'Block' }));
    await user.click(await screen.findByRole('button', { name: 'Block driver' }));
    expect(await panel.findByText('Blocked')).toBeInTheDocument();
    expect(await panel.findByRole('link', { name: 'Show 5 open deliveries' })).toBeInTheDocument();
    expect(panel.getByRole('button', { name: 'Unblock' })).toBeInTheDocument();
    await within(await region('Recent activity')).findByRole('link', { name: 'Blocked' });
    expect(panel.queryByRole('link', { name: 'Reset PIN' })).not.toBeInTheDocument();
  });

  it('tells of a new driver that they need a PIN, and where it is made', async () => {
    show(NEWLY_MADE);
    await screen.findByText('This driver has no PIN yet');
    expect(
      filtersOf(
        within(screen.getByRole('main')).getByRole('link', { name: 'Drivers Reset Password' }),
      ),
    ).toEqual([['username', 'equals', 'rsantos']]);
  });

  it('offers no change to whoever only reads', async () => {
    roles = ['viewer'];
    show();
    await screen.findByRole('heading', { level: 2, name: 'Rico Santos' });
    expect(screen.queryByRole('link', { name: 'Edit' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /Block|Unpair/ })).not.toBeInTheDocument();
  });

  it('does not take a failure for a driver who is not there', async () => {
    failing = true;
    const { user } = show();
    await screen.findByRole('heading', { name: 'Something went wrong' });
    failing = false;
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(
      await screen.findByRole('heading', { level: 2, name: 'Rico Santos' }),
    ).toBeInTheDocument();
  });

  it('says that there is no such driver', async () => {
    found = null;
    const { user, address } = show();
    await screen.findByRole('heading', { name: 'Driver not found' });
    expect(screen.getByText(/^There's no driver with the ID A\/B 100%/)).toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('link', { name: 'Show drivers' }));
    await waitFor(() => expect(address()).toBe('/drivers'));
  });
});
