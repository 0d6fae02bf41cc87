import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters, encodeFilters } from '@/list/filters-codec';
import { RESTART } from '@/list/list-origin';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

vi.setConfig({ testTimeout: 20_000 });

type Where = { key: string; operator: string; values: string[] }[];

const routes = [
  { name: 'deliveries', path: '/deliveries', page: () => import('./deliveries-page') },
];
let server: FakeServer;
let found: ReturnType<typeof deliveryRow>[];

beforeEach(() => {
  found = [deliveryRow(1000)];
  const count = { __typename: 'Count', total: 7, exact: true };
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: () => ({
        data: { deliveries: found, deliveriesCount: { ...count, total: found.length * 7 } },
      }),
      DeliveriesByView: (variables) => ({
        data: Object.fromEntries(Object.keys(variables).map((view) => [view, count])),
      }),
    },
  });
});

async function open(address = '/deliveries', entries: readonly RouteEntry[] = routes) {
  const view = renderRoutes(entries, address);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  const filters = () => decodeFilters(new URLSearchParams(view.address().split('?')[1]).get('filters')).filters;
  return { ...view, filters };
}

const tab = (name: string) => within(screen.getByLabelText('Views')).getByText(name);
const current = () => screen.getByLabelText('Views').querySelector('[aria-current]');
const asked = (): Where => {
  const call = server.calls.findLast(({ name }) => name === 'DeliveriesPage');
  const page = call?.variables.page as { where: Where } | undefined;
  return page?.where ?? [];
};

it('opens on today, asks for nothing else, and remembers the view that was looked at last', async () => {
  const first = await open();
  await waitFor(() => expect(current()).toHaveTextContent('Today7'));
  expect(screen.getByLabelText('Change filter: Date Range is in Today')).toBeInTheDocument();
  const [today] = asked();
  expect(today?.key).toBe('scheduledatetime');
  const [from = '', to = ''] = today?.values ?? [];
  // These are the midnights of two consecutive days in Manila.
  expect(from).toMatch(/T16:00:00/);
  expect(Date.parse(to) - Date.parse(from)).toBe(86_400_000);
  expect(server.calls.filter(({ name }) => name === 'DeliveriesPage')).toHaveLength(1);
  await expectAccessible();

  await first.user.click(tab('Unassigned'));
  await waitFor(() => expect(current()).toHaveTextContent('Unassigned'));
  first.unmount();
  const second = await open();
  expect(second.filters().map(({ key }) => key)).toEqual(['deliverystatus', 'driverId']);
  await second.user.click(tab('All'));
  await waitFor(() => expect(second.address()).toBe('/deliveries'));
  second.unmount();
  expect((await open()).address()).toBe('/deliveries');
});

it('opens what the address says, and does not remember what was searched for', async () => {
  const first = await open('/deliveries?limit=50');
  expect(asked()).toEqual([]);
  first.unmount();
  localStorage.clear();
  const search = { key: 'id', operator: 'contains' as const, values: [{ label: '7', value: '7' }] };
  const second = await open(`/deliveries?${new URLSearchParams({ filters: encodeFilters([search]) })}`);
  second.unmount();
  await open();
  expect(current()).toHaveTextContent('Today');
});

it('remembers a view for the user who looked at it, since a browser may be shared', async () => {
  server.signIn({ ...rosa, id: 'u2', username: 'maria' });
  const first = await open();
  await first.user.click(tab('Unassigned'));
  await waitFor(() => expect(current()).toHaveTextContent('Unassigned'));
  first.unmount();
  server.signIn(rosa);
  await open();
  expect(current()).toHaveTextContent('Today');
});

it('finds what is late and what nobody drives by filters that the chips name', async () => {
  const { user } = await open();
  await user.click(tab('Late'));
  await waitFor(() => expect(asked()).toHaveLength(2));
  expect(asked()).toEqual([
    { key: 'deliverystatus', operator: 'equals', values: ['Pending'] },
    { key: 'dueAt', operator: 'inDateRange', values: ['1970-01-01T00:00:00.000Z', expect.any(String)] },
  ]);
  const minute = Date.parse(asked()[1]?.values[1] ?? '');
  expect(Date.now() - minute).toBeLessThan(120_000);
  expect(screen.getByLabelText('Change filter: Due is in The past')).toBeInTheDocument();

  await user.click(tab('Unassigned'));
  await waitFor(() => expect(asked()[1]?.key).toBe('driverId'));
  expect(asked()).toEqual([
    { key: 'deliverystatus', operator: 'equals', values: ['Pending'] },
    { key: 'driverId', operator: 'isEmpty', values: [] },
  ]);
  expect(screen.getByLabelText('Change filter: Driver ID is empty')).toBeInTheDocument();
});

it('asks for what is empty by a condition that needs no value', async () => {
  const { user, filters } = await open('/deliveries?limit=50');
  await user.click(screen.getByText('Filter'));
  await user.click(await screen.findByText('Trucker', { selector: 'button' }));
  expect(screen.getByText('Apply')).toBeDisabled();
  await user.selectOptions(screen.getByLabelText('Condition'), 'is not empty');
  expect(screen.queryByLabelText('Value')).not.toBeInTheDocument();
  await user.click(screen.getByText('Apply'));
  await waitFor(() => expect(filters()).toEqual([{ key: 'trucker', operator: '!isEmpty', values: [] }]));
  await waitFor(() => expect(asked()).toEqual([{ key: 'trucker', operator: '!isEmpty', values: [] }]));
});

it('says that there is no delivery at all, whatever view is open', async () => {
  found = [];
  renderRoutes(routes, '/deliveries');
  await screen.findByRole('heading', { name: 'No deliveries yet' }, { timeout: 15_000 });
  expect(current()).toHaveTextContent('Today');
});

it('opens on the view again by the arrow of a delivery that was not opened from the list', async () => {
  const { user } = renderRoutes(declarations, '/view-delivery/DR-1000');
  await user.click(await screen.findByRole('link', { name: 'Back to Deliveries' }, { timeout: 15_000 }));
  await waitFor(() => expect(current()).toHaveTextContent('Today'));
});

it('opens on the view again by the link in the drawer, but not after its filters were cleared', async () => {
  const { user, address, router } = await open('/deliveries', declarations);
  await user.click(screen.getByText('Clear'));
  await waitFor(() => expect(current()).toHaveTextContent('All'));
  expect(address()).toBe('/deliveries');
  await act(() => router.navigate('/'));
  await act(() => router.navigate(-1));
  await waitFor(() => expect(current()).toHaveTextContent('All'));
  await user.click(screen.getByRole('link', { name: 'Deliveries' }));
  await waitFor(() => expect(current()).toHaveTextContent('Today'));
});

it('opens on the view by the link in the drawer that loaded a newer build, and Back does not follow the link again', async () => {
  // The location after the reload.
  const entry = { pathname: '/deliveries', key: 'k1', state: RESTART };
  const { user, address, router } = renderRoutes(declarations, entry);
  await screen.findByText('DR-1000', undefined, { timeout: 15_000 });
  expect(current()).toHaveTextContent('Today');
  await user.click(tab('All'));
  await waitFor(() => expect(address()).toBe('/deliveries'));
  await user.click(screen.getByRole('link', { name: 'Deliveries' }));
  await waitFor(() => expect(router.state.location.state).toBeNull());
  await user.click(tab('Today'));
  await waitFor(() => expect(current()).toHaveTextContent('Today'));
  await act(() => router.navigate(-1));
  await waitFor(() => expect(current()).toHaveTextContent('All'));
});

it('does not remember a view that only the quick search led to', async () => {
  const { user, unmount } = await open('/deliveries', declarations);
  const search = screen.getByRole('textbox', { name: 'Delivery Doc' });
  await user.type(search, 'DR-1{Enter}');
  await waitFor(() => expect(asked()).toHaveLength(2));
  await user.type(search, '{Escape}');
  await waitFor(() => expect(current()).toHaveTextContent('All'));
  unmount();
  await open();
  expect(current()).toHaveTextContent('Today');
});
