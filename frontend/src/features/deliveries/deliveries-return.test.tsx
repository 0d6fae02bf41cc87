import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import { deliveryRow, lookedAtAll } from '@/test/deliveries';
import { fullDelivery, reasonsAnswer } from '@/test/delivery';
import { enter } from '@/test/enter';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';

interface Page {
  where: { key: string; operator: string; values: string[] }[];
  limit: number;
  offset: number;
}

const slow = { timeout: 15_000 };
vi.setConfig({ testTimeout: 30_000 });
let server: FakeServer;
let total: { total: number; exact: boolean };

beforeEach(() => {
  lookedAtAll();
  total = { total: 52, exact: true };
  server = startFakeServer({
    user: rosa,
    operations: {
      DeliveriesPage: (variables) => {
        const { offset, where } = variables.page as Page;
        const found = where.length > 0 ? total : { total: 52, exact: true };
        const size = Math.max(0, Math.min(3, found.total - offset));
        const rows = Array.from({ length: size }, (_, index) => deliveryRow(1000 + offset + index));
        return { data: { deliveries: rows, deliveriesCount: { __typename: 'Count', ...found } } };
      },
      ViewDelivery: ({ id }) => ({ data: { delivery: fullDelivery({ id, attempt: 2 }) } }),
      Reasons: () => reasonsAnswer,
      UpdateDeliveryItem: () => ({
        data: { updateDeliveryItem: { __typename: 'Delivery', id: 'DR-1026', version: 4 } },
      }),
    },
  });
});

const filterOf = (key: string, operator: Filter['operator'], ...values: string[]): Filter => ({
  key,
  operator,
  values: values.map((value) => ({ label: value, value })),
});
const addressOf = (...filters: Filter[]) =>
  `/deliveries?${new URLSearchParams({ filters: encodeFilters(filters) })}`;

/** The last page that was requested. Queries for a single row only check whether any delivery exists. */
const asked = () => {
  const pages = server.calls.filter(({ name }) => name === 'DeliveriesPage');
  return pages.map(({ variables }) => variables.page as Page).findLast(({ limit }) => limit > 1) as Page;
};

async function open(address = '/deliveries') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'Deliveries' }, slow);
  return view;
}

const firstRow = () => screen.findByRole('link', { name: 'DR-1000' }, slow);

it('keeps the page size for the next visit', async () => {
  const first = await open();
  await firstRow();
  await first.user.selectOptions(screen.getByRole('combobox', { name: 'Rows per page' }), '50');
  await waitFor(() => expect(asked().limit).toBe(50));
  first.unmount();
  const { address } = await open();
  await firstRow();
  expect(asked().limit).toBe(50);
  expect(address()).toBe('/deliveries');
});

it('keeps the page size of a link, though another one was chosen before', async () => {
  localStorage.setItem('waybill.list.deliveries.limit', '100');
  const { user } = await open('/deliveries?limit=25');
  await firstRow();
  const tabs = screen.getByRole('navigation', { name: 'Views' });
  await user.click(within(tabs).getByRole('link', { name: /^Pending/ }));
  await waitFor(() => expect(asked().where).toHaveLength(1));
  expect(asked().limit).toBe(25);
  await user.click(screen.getByRole('button', { name: 'Clear' }));
  await waitFor(() => expect(asked().where).toHaveLength(0));
  expect(asked().limit).toBe(25);
});

it('names the keys that turn the pages beside their buttons', async () => {
  const { user } = await open();
  await firstRow();
  await user.hover(screen.getByRole('button', { name: 'Next page' }));
  expect(await screen.findByRole('tooltip')).toHaveTextContent('Next page]');
});

it('comes back to the row that was opened, by the arrow', async () => {
  const { user, address } = await open('/deliveries?offset=25');
  await user.click(await screen.findByRole('link', { name: 'DR-1026' }, slow));
  await user.click(await screen.findByRole('link', { name: 'Back to Deliveries' }, slow));
  expect(address()).toBe('/deliveries?offset=25');
  await waitFor(() => expect(screen.getByRole('link', { name: 'DR-1026' })).toHaveFocus(), slow);
});

it('comes back to its page from an earlier attempt', async () => {
  const { user, address } = await open('/deliveries?offset=25');
  await user.click(await screen.findByRole('link', { name: 'DR-1026' }, slow));
  await user.click(await screen.findByRole('link', { name: /^Attempt 1/ }, slow));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-1026?attempt=1'));
  expect(screen.getByRole('link', { name: '27 of 52' })).toHaveAttribute('href', '/deliveries?offset=25');
  await user.click(screen.getByRole('link', { name: 'Back to Deliveries' }));
  await waitFor(() => expect(screen.getByRole('link', { name: 'DR-1026' })).toHaveFocus(), slow);
  expect(address()).toBe('/deliveries?offset=25');
});

it('comes back to its page after an item was edited', async () => {
  const { user, address } = await open('/deliveries?offset=25');
  await user.click(await screen.findByRole('link', { name: 'DR-1026' }, slow));
  await user.click(await screen.findByRole('link', { name: '20' }, slow));
  await user.click(await screen.findByRole('link', { name: 'Edit item' }, slow));
  await enter(user, await screen.findByLabelText('Expected', undefined, slow), '25');
  await user.click(screen.getByRole('button', { name: 'Save' }));
  await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1026'));
  await user.click(await screen.findByRole('link', { name: 'Edit item 10' }, slow));
  await user.click(await screen.findByRole('link', { name: 'Cancel' }, slow));
  await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1026'));
  await user.click(screen.getByRole('link', { name: 'Back to Deliveries' }));
  await waitFor(() => expect(address()).toBe('/deliveries?offset=25'));
});

it('comes back to where the page was scrolled, on a phone', async () => {
  const { matchMedia, scrollTo } = window;
  window.matchMedia = (query) => ({ ...matchMedia(query), matches: query.includes('767px') });
  const scrolled = vi.fn();
  window.scrollTo = scrolled;
  try {
    const { user } = await open();
    const row = await screen.findByRole('link', { name: /DR-1002/ }, slow);
    Object.defineProperty(window, 'scrollY', { value: 640, configurable: true });
    await user.click(row);
    await user.click(await screen.findByRole('link', { name: 'Back to Deliveries' }, slow));
    await waitFor(() => expect(screen.getByRole('link', { name: /DR-1002/ })).toHaveFocus(), slow);
    expect(scrolled).toHaveBeenLastCalledWith({ top: 640 });
  } finally {
    Object.assign(window, { matchMedia, scrollTo });
    Reflect.deleteProperty(window, 'scrollY');
  }
});

it('begins at its heading when it is opened by its link', async () => {
  const { user } = await open('/deliveries');
  await user.click(await screen.findByRole('link', { name: 'DR-1001' }, slow));
  await screen.findByRole('link', { name: 'Back to Deliveries' }, slow);
  await user.click(screen.getByRole('link', { name: 'Deliveries' }));
  await firstRow();
  await waitFor(() => expect(screen.getByRole('heading', { level: 1, name: 'Deliveries' })).toHaveFocus(), slow);
});

it('finds a field of the filter menu by typing and by arrow keys', async () => {
  const { user } = await open();
  await firstRow();
  await user.keyboard('f');
  const menu = within(await screen.findByRole('dialog'));
  const box = menu.getByRole('textbox', { name: 'Find a field' });
  await waitFor(() => expect(box).toHaveFocus());
  await user.keyboard('date');
  expect(menu.getAllByRole('listitem').map((item) => item.textContent)).toEqual([
    'Date Range',
    'Dispatch Date and Time',
    'Processed at Date',
  ]);
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(menu.getByRole('button', { name: 'Dispatch Date and Time' })).toHaveFocus();
  await user.keyboard('{End}{Enter}');
  expect(await menu.findByText('Processed at Date')).toBeInTheDocument();
  expect(menu.queryByRole('textbox', { name: 'Find a field' })).not.toBeInTheDocument();
});

it('offers to look elsewhere when the quick search finds nothing', async () => {
  total = { total: 0, exact: true };
  const { user } = await open(addressOf(filterOf('id', 'contains', 'SI-2019462')));
  await user.click(await screen.findByRole('button', { name: 'Search by Reference Doc' }, slow));
  await waitFor(() =>
    expect(asked().where).toEqual([{ key: 'referencedoc', operator: 'contains', values: ['SI-2019462'] }]),
  );
  expect(screen.queryByRole('button', { name: /^Search by/ })).not.toBeInTheDocument();
});
