import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { driverLog, foundDrivers } from '@/test/drivers';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './driver-logs-page';
import './view-driver-log-page';

let server: FakeServer;
let rows: object[];
let found: object | null;
let failing: boolean;

beforeEach(() => {
  failing = false;
  rows = [
    driverLog('l3', {
      activity: 'outcome_submitted',
      deliveryId: 'A/B 100%',
      receivedAt: '2026-11-20T04:00:00Z',
    }),
    driverLog('l2', { activity: 'invented_later', driverName: '', occurredAt: '2026-11-20T02:00:00Z', receivedAt: '2026-11-20T02:00:05Z' }),
  ];
  found = driverLog('l3', {
    activity: 'outcome_submitted',
    deliveryId: 'A/B 100%',
    receivedAt: '2026-11-20T04:00:00Z',
    lat: 14.559,
    lng: 121.02,
    detail: {
      status: 'Complete_With_Variance',
      attempt: 2,
      capturedAt: '2026-11-20T03:07:00Z',
      offline: true,
      photos: ['p1', 'p2'],
      inventedLater: null,
    },
  });
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      DriverLogsPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('driverLogs', rows);
      },
      ViewDriverLog: () => ({ data: { driverLog: found } }),
      DriversLookup: () => foundDrivers(['DRV-014', 'Rico Santos']),
    },
  });
});

const page = () =>
  server.calls.findLast(({ name }) => name === 'DriverLogsPage')?.variables.page as {
    where: unknown;
    sort: unknown;
  };

describe('the driver log', () => {
  async function open() {
    const view = renderRoutes(declarations, '/driver-logs');
    await screen.findByRole('heading', { level: 1, name: 'Driver Log' });
    return view;
  }

  it('lists who did what and when, and what arrived late', async () => {
    await open();
    await screen.findByRole('link', { name: 'Nov 20, 2026 11:08 AM' });
    const [, late, strange] = screen.getAllByRole('row');
    expect(late).toHaveTextContent('Rico Santos DRV-014Outcome sentA/B 100%Recorded latePixel 92.4.1');
    const cells = within(late as HTMLElement);
    expect(cells.getByRole('link', { name: 'A/B 100%' })).toHaveAttribute(
      'href',
      '/view-delivery/A%2FB%20100%25',
    );
    expect(cells.getByRole('link', { name: 'Rico Santos' })).toHaveAttribute(
      'href',
      '/drivers/DRV-014',
    );
    // An unknown activity is shown as sent, and a driver without a name is shown by ID.
    expect(strange).toHaveTextContent('DRV-014invented_laterNone');
    expect(strange).not.toHaveTextContent('Recorded late');
    expect(page().sort).toEqual([{ key: 'occurredAt', direction: 'desc' }]);
    await expectAccessible();
  });

  it('is filtered by driver, delivery, activity and date range', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Filter' }));
    const menu = within(await screen.findByRole('dialog'));
    for (const name of ['Driver', 'Delivery Doc', 'Activity', 'Date Range']) {
      expect(menu.getByRole('button', { name })).toBeInTheDocument();
    }
    await user.click(menu.getByRole('button', { name: 'Activity' }));
    await user.click(screen.getByRole('checkbox', { name: 'Low battery' }));
    await user.click(screen.getByRole('button', { name: 'Apply' }));
    await waitFor(() =>
      expect(page().where).toEqual([
        { key: 'activity', operator: 'equals', values: ['low_battery'] },
      ]),
    );
  });

  it('is found by delivery from the top bar', async () => {
    const { user } = await open();
    await user.type(screen.getByRole('textbox', { name: 'Delivery Doc' }), 'DR-11{Enter}');
    await waitFor(() =>
      expect(page().where).toEqual([
        { key: 'deliveryId', operator: 'contains', values: ['DR-11'] },
      ]),
    );
  });

  it('opens an entry', async () => {
    const { user, address } = await open();
    await user.click(await screen.findByRole('link', { name: 'Nov 20, 2026 11:08 AM' }));
    await waitFor(() => expect(address()).toBe('/view-driver-activity-log/l3'));
  });

  it('says that there is nothing yet, and what failed', async () => {
    rows = [];
    const { unmount } = await open();
    await screen.findByRole('heading', { name: 'Nothing logged yet' });
    unmount();
    failing = true;
    await open();
    await screen.findByRole('heading', { name: 'Something went wrong' });
  });
});

describe('an entry of the driver log', () => {
  function open() {
    return renderRoutes(declarations, '/view-driver-activity-log/l3');
  }

  it('tells what happened, where, and what the device told beside it', async () => {
    open();
    await screen.findByRole('heading', { level: 2, name: 'Outcome sent' });
    expect(screen.getByText(/reported long after it happened/)).toBeInTheDocument();
    const facts = screen.getByRole('region', { name: 'Details' });
    expect(facts).toHaveTextContent('DriverRico SantosDRV-014');
    expect(facts).toHaveTextContent('Position14.55900, 121.02000');
    expect(facts).toHaveTextContent('ReportedNov 20, 2026 12:00 PM');
    const detail = within(screen.getByRole('table', { name: 'Detail' }));
    expect(detail.getByRole('row', { name: /^Delivery Status/ })).toHaveTextContent(
      'Complete with variance',
    );
    expect(detail.getByRole('row', { name: /^Attempt/ })).toHaveTextContent('2');
    expect(detail.getByRole('row', { name: /^capturedAt/ })).toHaveTextContent(
      'Nov 20, 2026 11:07 AM',
    );
    expect(detail.getByRole('row', { name: /^offline/ })).toHaveTextContent('Yes');
    expect(detail.getByRole('row', { name: /^photos/ })).toHaveTextContent('"p2"');
    expect(detail.getByRole('row', { name: /^inventedLater/ })).toHaveTextContent('None');
    await expectAccessible();
  });

  it('says that nothing more was told', async () => {
    found = driverLog('l3');
    open();
    await screen.findByText('No further details');
    expect(screen.queryByText(/reported long after/)).not.toBeInTheDocument();
  });

  it('says that there is no such entry', async () => {
    found = null;
    const { user, address } = open();
    await screen.findByRole('heading', { name: 'Entry not found' });
    await user.click(screen.getByRole('link', { name: 'Show driver log' }));
    await waitFor(() => expect(address()).toBe('/driver-logs'));
  });
});
