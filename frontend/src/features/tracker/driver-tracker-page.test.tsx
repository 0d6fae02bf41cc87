import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { cardDeliveries, driverCard, trailPosition } from '@/test/tracker';
import type { TrailPosition } from './queries';
import './driver-tracker-page';

vi.setConfig({ testTimeout: 20_000 });

let server: FakeServer;
let pages: TrailPosition[][];
let known: boolean;
let failing: boolean;

// A past day in Manila, whose trail no longer grows.
const DAY = '2026-11-18';
const start = Date.parse('2026-11-18T00:00:00Z');
const at = (minutes: number) => new Date(start + minutes * 60_000).toISOString();
const delivery = (id: string, changes: Record<string, unknown>) => ({
  __typename: 'Delivery',
  id,
  customername: 'Bayan Mart Makati',
  customeraddress: '6780 Ayala Avenue',
  deliverystatus: 'Pending',
  scheduledatetime: at(60),
  outcomeOccurredAt: null,
  outcomePoint: null,
  addressPoint: null,
  ...changes,
});

beforeEach(() => {
  known = true;
  failing = false;
  pages = [
    [
      ...[0, 1, 2, 3, 4].map((minute) => trailPosition(at(minute), 14.5 + minute * 0.01, 121)),
      trailPosition(at(4.5), 0, 0, { valid: false, filteredReason: 'zero_island' }),
    ],
    [
      ...[5, 6, 7, 8, 9].map((minute) => trailPosition(at(minute), 14.55, 121, { speedKmh: 0 })),
      ...[10, 11, 12].map((minute) => trailPosition(at(minute), 14.55 + (minute - 9) * 0.01, 121)),
    ],
  ];
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      DriverCard: () => (known ? driverCard('DRV-014') : { data: { driver: null, driverDays: [] } }),
      DriverCardDeliveries: () => cardDeliveries,
      DriverPositions: ({ after }) => {
        const page = after === undefined ? 0 : Number(after);
        return {
          data: {
            driverPositions: {
              __typename: 'DriverPositions',
              positions: pages[page] ?? [],
              cursor: String(page + 1),
              more: page + 1 < pages.length,
            },
          },
        };
      },
      TrailDeliveries: () => {
        if (failing) throw new TypeError('lost');
        return {
          data: {
            planned: [delivery('DR-2', {})],
            ended: [delivery('DR-1', { deliverystatus: 'Complete_With_Variance', outcomeOccurredAt: at(8) })],
          },
        };
      },
    },
    paths: { '/export/driver-positions': () => new Response('driverId\r\nDRV-014\r\n') },
  });
});

async function open(search = `?day=${DAY}`) {
  const view = renderRoutes(declarations, `/driver-tracker/DRV-014${search}`);
  await screen.findByRole('heading', { level: 1, name: /^Driver Tracker/ });
  return view;
}
const asked = (name: string) => server.calls.filter((call) => call.name === name).map(({ variables }) => variables);

it('adds the day up from all of its pages, and pins deliveries to stops', async () => {
  await open();
  const panel = within(await screen.findByRole('region', { name: "Driver's day" }));
  await panel.findByRole('button', { name: /Stop 1/ });
  expect(asked('DriverPositions').map(({ after }) => after)).toEqual([undefined, '1']);
  // The trail covers a whole day in the organization's time zone, whatever the time zone of the browser.
  expect(asked('DriverPositions')[0]).toMatchObject({
    driverId: 'DRV-014',
    from: '2026-11-17T16:00:00.000Z',
    to: '2026-11-18T16:00:00.000Z',
  });
  expect(panel.getByText('Distance').nextSibling).toHaveTextContent('8.9 km');
  expect(panel.getByText('Driving').nextSibling).toHaveTextContent('8 min');
  expect(panel.getByText('Stopped').nextSibling).toHaveTextContent('4 min');
  expect(panel.getByText('Deliveries').nextSibling).toHaveTextContent('12 of 18');
  const stop = panel.getByRole('button', { name: /Stop 1/ });
  expect(stop).toHaveTextContent('Bayan Mart Makati4 min on site8:05 AM');
  expect(stop.closest('li')).toHaveTextContent('DR-1Bayan Mart MakatiComplete with variance');
  expect(panel.getByRole('heading', { name: 'Open deliveries' }).parentElement).toHaveTextContent('DR-2');
  // The flagged position is counted, but it is not part of the line.
  expect(panel.getByText('1 position was left out of the trail')).toBeInTheDocument();
  expect(panel.getByText('invalid coordinates: 1')).toBeInTheDocument();

  const table = within(screen.getByRole('table', { name: 'Stops and deliveries of the day' }));
  expect(table.getAllByRole('rowheader').map(({ textContent }) => textContent)).toEqual([
    'Drive, 5.6 km',
    'Stop 1',
    'Drive, 3.3 km',
  ]);
  const [, , row] = table.getAllByRole('row');
  expect(row).toHaveTextContent(/^Stop 18:05 AM8:09 AM4 minBayan Mart Makati14\.55000, 121\.00000/);
  await expectAccessible();
});

it('replays: steps, plays at its speed, and is moved by keys', async () => {
  const { user } = await open();
  const bar = within(await screen.findByRole('region', { name: 'Replay' }));
  const slider = bar.getByRole('slider', { name: 'Replay time' });
  await waitFor(() => expect(slider).toHaveAttribute('aria-valuetext', '8:00 AM, 30 km/h'));
  await user.click(bar.getByRole('button', { name: 'Next position' }));
  expect(slider).toHaveAttribute('aria-valuetext', '8:01 AM, 30 km/h');
  await user.click(bar.getByRole('button', { name: 'Previous position' }));
  expect(slider).toHaveAttribute('aria-valuetext', '8:00 AM, 30 km/h');
  slider.focus();
  await user.keyboard('{ArrowRight}{ArrowRight}{ArrowLeft}');
  expect(slider).toHaveAttribute('aria-valuetext', '8:01 AM, 30 km/h');
  await user.keyboard('{End}');
  expect(slider).toHaveAttribute('aria-valuetext', '8:12 AM, 30 km/h');
  await user.keyboard('{Home}');
  await user.click(bar.getByRole('button', { name: '60×' }));
  await user.click(bar.getByRole('button', { name: 'Play' }));
  await waitFor(() => expect(Number(slider.getAttribute('aria-valuenow'))).toBeGreaterThan(start + 5000));
  await user.keyboard('p');
  expect(bar.getByRole('button', { name: 'Play' })).toBeInTheDocument();
  // Selecting a stop moves the replay there.
  await user.click(screen.getByRole('button', { name: /Stop 1/ }));
  expect(slider).toHaveAttribute('aria-valuetext', '8:05 AM, 0 km/h');
});

it('goes from day to day, and not into the future', async () => {
  const { user, address, router } = await open();
  await user.click(await screen.findByRole('button', { name: 'Previous day' }));
  await waitFor(() => expect(address()).toBe('/driver-tracker/DRV-014?day=2026-11-17'));
  // On a phone, the days are further down the page, which stays there.
  expect(router.state.preventScrollReset).toBe(true);
  await waitFor(() => expect(asked('DriverPositions').at(-1)).toMatchObject({ from: '2026-11-16T16:00:00.000Z' }));
});

it('exports the day as CSV and as GPX', async () => {
  URL.createObjectURL = () => 'blob:1';
  URL.revokeObjectURL = () => undefined;
  const saved: string[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, 'click').mockImplementation(function (this: HTMLAnchorElement) {
    saved.push(this.download);
  });
  const { user } = await open();
  for (const [item, format] of [['As CSV', 'csv'], ['As GPX', 'gpx']] as const) {
    // oxlint-disable-next-line no-await-in-loop -- user actions are sequential
    await user.click(await screen.findByRole('button', { name: 'Export' }));
    // oxlint-disable-next-line no-await-in-loop
    await user.click(await screen.findByRole('menuitem', { name: item }));
    // oxlint-disable-next-line no-await-in-loop
    await waitFor(() => expect(saved).toContain(`DRV-014-${DAY}.${format}`));
  }
  expect(asked('/export/driver-positions')).toEqual(
    ['csv', 'gpx'].map((format) => ({
      driverId: 'DRV-014',
      from: '2026-11-17T16:00:00.000Z',
      to: '2026-11-18T16:00:00.000Z',
      format,
    })),
  );
});

it('says that the deliveries of the day could not be read', async () => {
  failing = true;
  const { user } = await open();
  const panel = within(await screen.findByRole('region', { name: "Driver's day" }));
  const note = await panel.findByRole('alert');
  expect(note).toHaveTextContent("Couldn't refresh the deliveries. Some may be missing or out of date.");
  failing = false;
  await user.click(within(note).getByRole('button', { name: 'Retry' }));
  await panel.findByRole('heading', { name: 'Open deliveries' });
  expect(panel.queryByRole('alert')).not.toBeInTheDocument();
});

it('says that there are no positions, and that there is no such driver', async () => {
  pages = [[]];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No positions on this day' });
  unmount();
  known = false;
  await open();
  await screen.findByRole('heading', { name: 'Driver not found' });
  expect(screen.getByRole('link', { name: 'Go to the tracker' })).toHaveAttribute('href', '/driver-tracker-list');
});
