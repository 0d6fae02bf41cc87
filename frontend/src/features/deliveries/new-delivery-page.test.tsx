import { act, cleanup, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { fullDelivery, reasonsAnswer, refusedFields } from '@/test/delivery';
import { enter } from '@/test/enter';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { setTimeZone } from '@/test/time-zone';
// Loaded up front, so that no test waits for a lazy import.
import './edit/new-delivery-item-page';
import './edit/new-delivery-page';
import './view-delivery-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

let server: FakeServer;
let created: () => Answer | Promise<Answer>;

beforeEach(() => {
  sessionStorage.clear();
  created = () => ({
    data: { createDelivery: { __typename: 'Delivery', id: 'DR 9/1', version: 1 } },
  });
});

async function open(user: Record<string, unknown> = rosa, routes: readonly RouteEntry[] = declarations) {
  server = startFakeServer({
    user,
    operations: {
      CreateDelivery: () => created(),
      ViewDelivery: ({ id }) => ({ data: { delivery: { ...fullDelivery(), id } } }),
      Reasons: () => reasonsAnswer,
      CustomersLookup: () => ({
        data: { customers: [{ __typename: 'Customer', customerName: 'Bayan Mart', customerEmail: null }] },
      }),
      CustomerContact: ({ customerName }) => ({
        data: {
          customer: {
            __typename: 'Customer',
            customerName,
            customerAddress: '12 Mabini St, Pasig',
            customerEmail: 'orders@bayan.example',
            phone: '+63 2 8123 4567',
            addressPoint: { __typename: 'GeoPoint', lat: 14.56, lng: 121.07, accuracy: null },
          },
        },
      }),
      SourcesLookup: () => ({
        data: { sources: [{ __typename: 'Source', id: 's1', name: 'Warehouse' }] },
      }),
    },
  });
  const view = renderRoutes(routes, '/new-deliveries');
  await screen.findByRole('button', { name: 'Create delivery' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
/** Finds a text field by its label, which may end with "Optional". */
const box = (name: string) =>
  screen.getByRole('textbox', { name: new RegExp(`^${name}(Optional)?$`) });
const create = () => screen.getByRole('button', { name: 'Create delivery' });

type User = Awaited<ReturnType<typeof open>>['user'];

async function fill(user: User) {
  await enter(user, box('Delivery Doc'), 'DR 9/1');
  await enter(user, box('Shipment no.'), 'SH-1');
  await user.type(screen.getByRole('combobox', { name: 'Customer Name' }), 'Bayan Mart');
  const date = within(screen.getByRole('group', { name: 'Dispatch Date' }));
  await user.type(date.getByLabelText('Month'), '11');
  await user.type(date.getByLabelText('Day'), '21');
  await user.type(date.getByLabelText('Year'), '2026');
  await user.type(screen.getByLabelText('Dispatch Time'), '09:30');
}

async function addItem(user: User, quantity: string) {
  await user.click(screen.getByRole('link', { name: 'Add item' }));
  await user.type(await screen.findByRole('textbox', { name: 'Expected' }), quantity);
  await enter(user, box('Description'), `Goods of ${quantity}`);
  await user.click(screen.getByRole('button', { name: 'Add item' }));
  await screen.findByRole('button', { name: 'Create delivery' });
}

it('is created with its items and shown', async () => {
  const { user, address } = await open();
  await expectAccessible();
  await fill(user);
  const source = screen.getByRole('combobox', { name: /^Source/ });
  await user.type(source, 'Ware');
  await user.click(await screen.findByRole('option', { name: 'Warehouse' }));
  // The server refuses disabled sources.
  expect(sent('SourcesLookup').at(-1)?.variables.page).toMatchObject({
    where: [
      { key: 'name', operator: 'contains', values: ['Ware'] },
      { key: 'isActive', operator: 'equals', values: ['true'] },
    ],
  });
  await addItem(user, '40');
  await addItem(user, '2.5');
  expect(screen.getAllByRole('row').map((row) => row.querySelector('th[scope=row]')?.textContent)).toEqual([
    undefined,
    '10',
    '20',
  ]);
  await user.click(create());
  expect(await screen.findByText('DR 9/1 created')).toBeInTheDocument();
  await waitFor(() => expect(address()).toBe('/view-delivery/DR%209%2F1'));
  expect(sent('CreateDelivery')[0]?.variables).toEqual({
    input: {
      id: 'DR 9/1',
      sourceId: 's1',
      referencedoc: null,
      shipmentnumber: 'SH-1',
      customername: 'Bayan Mart',
      customeraddress: '',
      addressPoint: null,
      trucker: '',
      driverId: null,
      scheduledatetime: '2026-11-21T01:30:00.000Z',
      timeWindowStart: null,
      timeWindowEnd: null,
      contactName: null,
      contactPhone: null,
      contactEmail: null,
      instructions: null,
      internalNote: null,
      priority: 'normal',
      items: [
        { itemNumber: '10', description: 'Goods of 40', sku: null, unit: 'pcs', quantity: 40, weightKg: null, barcode: null },
        { itemNumber: '20', description: 'Goods of 2.5', sku: null, unit: 'pcs', quantity: 2.5, weightKg: null, barcode: null },
      ],
    },
  });
  expect(sessionStorage.length).toBe(0);
});

it('is created once, even if it is sent again while the page that was chosen meanwhile loads', async () => {
  let answer: () => void = () => undefined;
  const now = created;
  created = () => new Promise<void>((resolve) => (answer = resolve)).then(now);
  const slow = { name: 'slow', path: '/slow', page: () => new Promise<never>(() => undefined) };
  const { user, router } = await open(rosa, [...declarations, slow]);
  await fill(user);
  await user.click(create());
  act(() => void router.navigate('/slow'));
  answer();
  await screen.findByText('DR 9/1 created');
  await user.click(create());
  expect(sent('CreateDelivery')).toHaveLength(1);
});

it('needs what a delivery cannot be without', async () => {
  const { user } = await open();
  await user.click(create());
  expect(await screen.findByText('Delivery Doc is required', { selector: 'li, li *' })).toBeInTheDocument();
  for (const name of ['Shipment no.', 'Customer Name', 'Dispatch Date', 'Dispatch Time']) {
    expect(screen.getByText(`${name} is required`, { selector: 'li, li *' })).toBeInTheDocument();
  }
  expect(box('Delivery Doc')).toHaveFocus();
  expect(sent('CreateDelivery')).toEqual([]);
});

it('keeps its draft over the page of an item, a reload, and nobody else', async () => {
  const { user } = await open();
  await fill(user);
  await addItem(user, '40');
  expect(box('Delivery Doc')).toHaveValue('DR 9/1');
  expect(screen.getByLabelText('Dispatch Time')).toHaveValue('09:30');

  cleanup();
  const again = await open();
  expect(screen.getByText('This is the draft you started in this tab.')).toBeInTheDocument();
  expect(box('Delivery Doc')).toHaveValue('DR 9/1');
  expect(screen.getByRole('row', { name: /Goods of 40/ })).toBeInTheDocument();
  await expectAccessible();
  await again.user.click(screen.getByRole('button', { name: 'Discard draft' }));
  expect(box('Delivery Doc')).toHaveValue('');
  expect(screen.queryByRole('row', { name: /Goods of 40/ })).not.toBeInTheDocument();

  await enter(again.user, box('Delivery Doc'), 'DR-SECRET');
  cleanup();
  await open({ ...rosa, id: 'u2', username: 'lara' });
  expect(box('Delivery Doc')).toHaveValue('');
});

it('keeps its dispatch when the time zone of the organization changes, as does its draft', async () => {
  const { user } = await open();
  await fill(user);
  cleanup();
  const again = await open({ ...rosa, organization: { ...rosa.organization, timezone: 'UTC' } });
  const time = () => screen.getByLabelText('Dispatch Time');
  const day = () => within(screen.getByRole('group', { name: 'Dispatch Date' })).getByLabelText('Day');
  expect([day(), time()].map((input) => (input as HTMLInputElement).value)).toEqual(['21', '01:30']);
  setTimeZone(again.auth, 'America/New_York');
  expect([day(), time()].map((input) => (input as HTMLInputElement).value)).toEqual(['20', '20:30']);
  await again.user.click(create());
  await waitFor(() => expect(sent('CreateDelivery')).toHaveLength(1));
  expect(sent('CreateDelivery')[0]?.variables.input).toMatchObject({ scheduledatetime: '2026-11-21T01:30:00.000Z' });
});

it('shows the source of its draft by name, until the draft is discarded', async () => {
  const source = () => screen.getByRole('combobox', { name: /^Source/ });
  const { user } = await open();
  await user.type(source(), 'Ware');
  await user.click(await screen.findByRole('option', { name: 'Warehouse' }));

  cleanup();
  const again = await open();
  expect(source()).toHaveValue('Warehouse');
  await again.user.click(screen.getByRole('button', { name: 'Discard draft' }));
  expect(source()).toHaveValue('');
});

it('is not created without the source that was typed in part, which its draft keeps', async () => {
  const source = () => screen.getByRole('combobox', { name: /^Source/ });
  const { user } = await open();
  await fill(user);
  await user.type(source(), 'Ware');
  await screen.findByRole('option', { name: 'Warehouse' });
  await user.click(create());
  expect(source()).toHaveFocus();
  expect(sent('CreateDelivery')).toEqual([]);

  cleanup();
  const again = await open();
  expect(source()).toHaveValue('Ware');
  expect(source()).toHaveAccessibleDescription(expect.stringContaining('Choose one of the suggestions'));
  await again.user.click(screen.getByRole('button', { name: 'Discard draft' }));
  expect(source()).toHaveValue('');
  expect(source()).not.toHaveAccessibleDescription(expect.stringContaining('Choose one of the suggestions'));
});

it('survives a draft that nobody can read', async () => {
  sessionStorage.setItem('waybill.new-delivery.u1', '{"id":7}');
  await open();
  expect(box('Delivery Doc')).toHaveValue('');
});

it('keeps what still fits of a draft that an earlier release stored', async () => {
  sessionStorage.setItem('waybill.new-delivery.u1', JSON.stringify({ head: { id: 'DR-1', sourceId: '' }, items: [] }));
  await open();
  expect(box('Delivery Doc')).toHaveValue('DR-1');
  expect(screen.getByRole('combobox', { name: /^Source/ })).toHaveValue('');
});

it('lets items of the draft be changed and taken out', async () => {
  const { user } = await open();
  await addItem(user, '40');
  await addItem(user, '5');
  await user.click(screen.getByRole('link', { name: 'Edit item 20' }));
  const expected = await screen.findByRole('textbox', { name: 'Expected' });
  expect(expected).toHaveValue('5');
  await user.clear(expected);
  await user.type(expected, '6');
  await user.click(screen.getByRole('button', { name: 'Update item' }));
  await screen.findByRole('button', { name: 'Create delivery' });
  expect(screen.getByRole('row', { name: /^20 / })).toHaveTextContent('6');
  await user.click(screen.getByRole('button', { name: 'Delete item 10' }));
  await user.click(await screen.findByRole('button', { name: 'Delete item' }));
  await waitFor(() => expect(screen.queryByRole('row', { name: /^10 / })).not.toBeInTheDocument());
});

it('shows what the server refuses, at its field or its item', async () => {
  created = () =>
    refusedFields({
      id: ['Delivery Doc is taken'],
      scheduledatetime: ['Dispatch date is too early'],
      'items.0.quantity': ['Quantity is too much'],
    });
  const { user } = await open();
  await fill(user);
  await addItem(user, '40');
  await user.click(create());
  await waitFor(() => expect(box('Delivery Doc')).toHaveAccessibleDescription(/^Delivery Doc is taken/));
  expect(screen.getByRole('group', { name: 'Dispatch Date' })).toHaveAccessibleDescription(
    'Dispatch date is too early',
  );
  expect(screen.getByRole('row', { name: /Goods of 40/ })).toHaveTextContent('Quantity is too much');
  created = () => ({
    errors: [{ message: 'Delivery DR 9/1 exists already.', extensions: { code: 'ALREADY_EXISTS' } }],
  });
  await user.click(create());
  expect(await screen.findByText('Delivery DR 9/1 exists already.')).toBeInTheDocument();
  expect(box('Delivery Doc')).toHaveValue('DR 9/1');
});

it('is not for those who only read', async () => {
  startFakeServer({ user: { ...rosa, roles: ['viewer'] } });
  const { address } = renderRoutes(declarations, '/new-deliveries');
  await waitFor(() => expect(address()).toMatch(/^\/forbidden/));
});

it('takes the empty boxes from a customer that is chosen, and gives them back', async () => {
  const { user } = await open();
  await enter(user, box('Contact phone'), '0917');
  await user.type(screen.getByRole('combobox', { name: 'Customer Name' }), 'baya');
  await user.click(await screen.findByRole('option', { name: 'Bayan Mart' }));
  const address = () => screen.getByRole('combobox', { name: /^Customer Address/ });
  await waitFor(() => expect(address()).toHaveValue('12 Mabini St, Pasig'));
  expect(box('Contact email')).toHaveValue('orders@bayan.example');
  expect(box('Contact phone')).toHaveValue('0917');
  expect(screen.getByText('Address and contact were filled in from Bayan Mart.')).toBeInTheDocument();
  await expectAccessible();
  await user.click(screen.getByRole('button', { name: 'Undo' }));
  expect(address()).toHaveValue('');
  expect(box('Contact email')).toHaveValue('');
  expect(box('Contact phone')).toHaveValue('0917');
  expect(screen.queryByText(/were filled in from/)).not.toBeInTheDocument();
});
