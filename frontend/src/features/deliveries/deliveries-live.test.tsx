import { act, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';

vi.setConfig({ testTimeout: 20_000 });

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
const changed = { deliveriesChanged: true };
let server: FakeServer;
let status: string;
let failing: boolean;
/** Sends the response that was held back. */
let release: (() => void) | undefined;
let slow: boolean;

const count = { __typename: 'Count', total: 2, exact: true };

beforeEach(() => {
  lookedAtAll();
  FakeSocket.install();
  status = 'Pending';
  failing = false;
  slow = false;
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: async () => {
        if (slow) await new Promise<void>((resolve) => (release = resolve));
        if (failing) throw new TypeError('lost');
        const rows = [deliveryRow(1000, { deliverystatus: status }), deliveryRow(1001)];
        return { data: { deliveries: rows, deliveriesCount: count } };
      },
      DeliveriesByView: (variables) => ({
        data: Object.fromEntries(Object.keys(variables).map((view) => [view, count])),
      }),
    },
  });
});

async function open() {
  const view = renderRoutes(routes, '/deliveries');
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  await waitFor(() => expect(FakeSocket.last().open('deliveriesChanged')).toHaveLength(1));
  return view;
}

const asked = (name: string) => server.calls.filter((call) => call.name === name).length;
const row = () => screen.getByText('DR-1000').closest('tr');

it('a change made elsewhere shows in silence, and the selection stays', async () => {
  const { user } = await open();
  await user.click(screen.getByLabelText('Select DR-1001'));
  const [pages, counts] = [asked('DeliveriesPage'), asked('DeliveriesByView')];
  status = 'Rejected';
  slow = true;
  act(() => FakeSocket.last().push(changed));
  await waitFor(() => expect(asked('DeliveriesPage')).toBe(pages + 1));
  // A background refresh shows no indicator.
  expect(screen.queryByLabelText('Refreshing')).not.toBeInTheDocument();
  expect(row()).toHaveTextContent('Pending');
  act(() => release?.());
  await waitFor(() => expect(row()).toHaveTextContent('Rejected'));
  expect(screen.getByLabelText('Select DR-1001')).toBeChecked();
  await waitFor(() => expect(asked('DeliveriesByView')).toBe(counts + 1), { timeout: 4000 });
});

it('keeps the rows, and says how old they are, when reading them again fails', async () => {
  await open();
  failing = true;
  act(() => FakeSocket.last().push(changed));
  await screen.findByText(/Couldn't refresh\. Showing data from/, undefined, { timeout: 15_000 });
  expect(row()).toHaveTextContent('Pending');
});
