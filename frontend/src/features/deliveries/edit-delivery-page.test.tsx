import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import {
  completedDelivery,
  deliveryChanged,
  deliveryItem,
  fullDelivery,
  reasonsAnswer,
  refusedFields,
} from '@/test/delivery';
import { enter } from '@/test/enter';
import { FakeSocket } from '@/test/fake-socket';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './edit/edit-delivery-item-page';
import './edit/edit-delivery-page';
import './edit/new-delivery-item-page';
import './view-delivery-item-page';

// Simulated typing is slow on busy machines.
vi.setConfig({ testTimeout: 60_000 });

let server: FakeServer;
let delivery: Record<string, unknown>;
let answers: Record<string, (variables: Record<string, unknown>) => Answer>;

const saved = (name: string, version = 4): Answer => ({
  data: { [name]: { __typename: 'Delivery', id: 'DR-1', version } },
});

beforeEach(() => {
  delivery = fullDelivery({
    scheduledatetime: '2026-11-20T01:30:12.000Z',
    addressPoint: { __typename: 'GeoPoint', lat: 14.5, lng: 121, accuracy: null },
  });
  answers = {
    ViewDelivery: ({ id }) => ({ data: { delivery: { ...delivery, id } } }),
    Reasons: () => reasonsAnswer,
    UpdateDelivery: () => saved('updateDelivery'),
    CreateDeliveryItem: () => saved('createDeliveryItem'),
    UpdateDeliveryItem: () => saved('updateDeliveryItem'),
    DeleteDeliveryItem: () => saved('deleteDeliveryItem'),
    CustomersLookup: () => ({
      data: {
        customers: [{ __typename: 'Customer', customerName: 'Bayan Mart Pasig', customerEmail: null }],
      },
    }),
    TruckersLookup: () => ({ errors: [{ message: 'down' }] }),
  };
});

function render(address: string, user: Record<string, unknown> = rosa) {
  server = startFakeServer({
    user,
    operations: Object.fromEntries(
      Object.keys(answers).map((name) => [
        name,
        (variables: Record<string, unknown>) =>
          answers[name]?.(variables) ?? { errors: [{ message: 'none' }] },
      ]),
    ),
  });
  return renderRoutes(declarations, address);
}

async function open(address = '/edit-delivery/DR-1', heading = 'DR-1') {
  const view = render(address);
  await screen.findByRole('heading', { level: 2, name: heading });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const input = (name: string, call = 0) => sent(name)[call]?.variables.input;
/** Finds a text field by its label, which may end with "Optional". */
const box = (name: string) =>
  screen.getByRole('textbox', { name: new RegExp(`^${name}(Optional)?$`) });
const lookup = (name: string) =>
  screen.getByRole('combobox', { name: new RegExp(`^${name}(Optional)?$`) });
const save = () => screen.getByRole('button', { name: 'Save' });

const unchanged = {
  id: 'DR-1',
  version: 3,
  referencedoc: 'SI-880417',
  shipmentnumber: 'SH-26147',
  customername: 'Bayan Mart Makati',
  customeraddress: '6780 Ayala Avenue, Makati City',
  addressPoint: { lat: 14.5, lng: 121, accuracy: null },
  trucker: 'Habagat Fleet',
  driverId: null,
  scheduledatetime: '2026-11-20T01:30:12.000Z',
  timeWindowStart: null,
  timeWindowEnd: null,
  contactName: null,
  contactPhone: null,
  contactEmail: null,
  instructions: null,
  internalNote: null,
  priority: 'normal',
};

describe('the facts of a delivery', () => {
  it('are saved whole, once one of them was changed', async () => {
    const { user, address } = await open();
    expect(box('Delivery Doc')).toHaveAttribute('readonly');
    expect(save()).toBeDisabled();
    await expectAccessible();
    await user.clear(box('Reference Doc'));
    await enter(user, box('Contact name'), ' Carla Tan ');
    await user.click(screen.getByRole('radio', { name: 'High' }));
    await user.click(save());
    expect(await screen.findByText('DR-1 saved')).toBeInTheDocument();
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1'));
    expect(input('UpdateDelivery')).toEqual({
      ...unchanged,
      referencedoc: null,
      contactName: 'Carla Tan',
      priority: 'high',
    });
  });

  it('have dates on the clock of the organization', async () => {
    const { user } = await open();
    const date = within(screen.getByRole('group', { name: 'Dispatch Date' }));
    expect(date.getByLabelText('Day')).toHaveValue('20');
    expect(screen.getByLabelText('Dispatch Time')).toHaveValue('09:30');
    await user.clear(screen.getByLabelText('Dispatch Time'));
    await user.type(screen.getByLabelText('Dispatch Time'), '14:45');
    const from = within(screen.getByRole('group', { name: /^Time window from/ }));
    await user.type(from.getByLabelText('Month'), '11');
    await user.type(from.getByLabelText('Day'), '20');
    await user.type(from.getByLabelText('Year'), '2026');
    await user.type(from.getByLabelText('Time'), '15:00');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDelivery')).toHaveLength(1));
    expect(input('UpdateDelivery')).toEqual({
      ...unchanged,
      scheduledatetime: '2026-11-20T06:45:00.000Z',
      timeWindowStart: '2026-11-20T07:00:00.000Z',
    });
  });

  it('follow their rules', async () => {
    const { user } = await open();
    await user.clear(box('Shipment no.'));
    await user.clear(lookup('Customer Name'));
    const date = within(screen.getByRole('group', { name: 'Dispatch Date' }));
    await user.clear(date.getByLabelText('Month'));
    await user.type(date.getByLabelText('Month'), '13');
    await user.click(save());
    await waitFor(() => expect(box('Shipment no.')).toHaveAccessibleDescription('Shipment no. is required'));
    expect(screen.getByText('Inputted Date is Invalid', { selector: 'p' })).toBeInTheDocument();
    expect(screen.getByText('Customer Name is required', { selector: 'li, li *' })).toBeInTheDocument();
    expect(screen.getByText('3 errors')).toBeInTheDocument();
    expect(sent('UpdateDelivery')).toEqual([]);
    await expectAccessible();
  });

  it('are helped by lookups; one that fails finds nothing', async () => {
    const { user } = await open();
    await user.clear(lookup('Customer Name'));
    await user.type(lookup('Customer Name'), 'Bayan');
    await user.click(await screen.findByRole('option', { name: 'Bayan Mart Pasig' }));
    await user.clear(lookup('Trucker'));
    await user.type(lookup('Trucker'), 'Amihan');
    await waitFor(() => expect(sent('TruckersLookup').length).toBeGreaterThan(0));
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDelivery')).toHaveLength(1));
    expect(input('UpdateDelivery')).toMatchObject({
      customername: 'Bayan Mart Pasig',
      trucker: 'Amihan',
    });
    expect(sent('CustomersLookup').at(-1)?.variables).toMatchObject({ page: { limit: 10 } });
  });

  it('show what the server refuses at their fields', async () => {
    answers.UpdateDelivery = () =>
      refusedFields({
        scheduledatetime: ['Dispatch date is too far away'],
        driverId: ['Driver ID is not known'],
        timeWindowEnd: ['Time window must end after it starts'],
      });
    const { user } = await open();
    await user.type(lookup('Driver ID'), 'DRV-1');
    await user.click(save());
    await waitFor(() => expect(lookup('Driver ID')).toHaveAccessibleDescription(/^Driver ID is not known/));
    const group = (name: string | RegExp) => screen.getByRole('group', { name });
    expect(group('Dispatch Date')).toHaveAccessibleDescription('Dispatch date is too far away');
    expect(group(/^Time window to/)).toHaveAccessibleDescription('Time window must end after it starts');
  });
});

describe('somebody who was faster', () => {
  it('is named; both sides are kept', async () => {
    const { user } = await open();
    await enter(user, box('Contact name'), 'Carla Tan');
    answers.UpdateDelivery = () => deliveryChanged;
    delivery = fullDelivery({
      version: 7,
      updatedBy: 'dennis',
      instructions: 'Use bay 2',
      contactName: 'Somebody else',
      scheduledatetime: '2026-11-20T01:30:12.000Z',
    });
    await user.click(save());
    const title = await screen.findByText(/Changed elsewhere by dennis/);
    const note = title.closest('[role="alert"]');
    expect(note).toHaveFocus();
    expect(note).toHaveTextContent("Your changes weren't saved. What you typed is still here.");
    expect(note).toHaveTextContent('Instructions: None → Use bay 2');
    expect(note).toHaveTextContent('Contact name: None → Somebody else');
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Reload and keep my entries' }));
    await waitFor(() => expect(box('Instructions')).toHaveValue('Use bay 2'));
    expect(box('Contact name')).toHaveValue('Carla Tan');
    answers.UpdateDelivery = () => saved('updateDelivery', 8);
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDelivery')).toHaveLength(2));
    expect(input('UpdateDelivery', 1)).toMatchObject({
      version: 7,
      instructions: 'Use bay 2',
      contactName: 'Carla Tan',
    });
  });

  it('is told of, and kept, when only the location of the address was added', async () => {
    delivery = { ...delivery, addressPoint: null };
    const { user } = await open();
    await enter(user, box('Contact name'), 'Carla Tan');
    answers.UpdateDelivery = () => deliveryChanged;
    delivery = { ...delivery, version: 4, addressPoint: { __typename: 'GeoPoint', lat: 14.5, lng: 121, accuracy: null } };
    await user.click(save());
    const title = await screen.findByText(/Changed elsewhere by rico/);
    const note = title.closest('[role="alert"]');
    expect(note).toHaveTextContent('Address latitude: None → 14.5');
    expect(note).not.toHaveTextContent("Their changes don't affect what you see here.");
    answers.UpdateDelivery = () => saved('updateDelivery', 5);
    await user.click(screen.getByRole('button', { name: 'Reload and keep my entries' }));
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDelivery')).toHaveLength(2));
    expect(input('UpdateDelivery', 1)).toMatchObject({
      version: 4,
      addressPoint: { lat: 14.5, lng: 121, accuracy: null },
      contactName: 'Carla Tan',
    });
  });

  it('is told beside what is being typed, and taken over where nothing was', async () => {
    FakeSocket.install();
    const { user } = await open();
    await waitFor(() => expect(FakeSocket.last().open('deliveryChanged')).toHaveLength(1));
    const push = () =>
      act(() => FakeSocket.last().push({ deliveryChanged: { __typename: 'DeliveryChange', id: 'DR-1' } }));
    delivery = { ...delivery, version: 4, instructions: 'Use bay 2' };
    push();
    await waitFor(() => expect(box('Instructions')).toHaveValue('Use bay 2'));
    expect(screen.queryByText(/Changed elsewhere/)).not.toBeInTheDocument();
    await user.type(box('Contact name'), 'Carla');
    delivery = { ...delivery, version: 5, instructions: 'Use bay 3' };
    push();
    expect(await screen.findByText(/Changed elsewhere by rico/)).toBeInTheDocument();
    expect(box('Instructions')).toHaveValue('Use bay 2');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDelivery')).toHaveLength(1));
    // The form sends the version that it loaded, so that the server can refuse the edit.
    expect(input('UpdateDelivery')).toMatchObject({ version: 4 });
  });
});

describe('items', () => {
  it('are deleted after a question', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Delete item 20' }));
    const question = within(await screen.findByRole('alertdialog', { name: 'Delete item 20?' }));
    delivery = fullDelivery({ version: 4, items: [deliveryItem('10', { quantity: 40 })] });
    await user.click(question.getByRole('button', { name: 'Delete item' }));
    expect(await screen.findByText('Item 20 deleted')).toBeInTheDocument();
    expect(input('DeleteDeliveryItem')).toEqual({ deliveryId: 'DR-1', version: 3, itemNumber: '20' });
    await waitFor(() => expect(screen.queryByText('Goods 20')).not.toBeInTheDocument());
  });

  it('are not deleted on top of what somebody else changed, unless asked again', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('button', { name: 'Delete item 20' }));
    answers.DeleteDeliveryItem = () => deliveryChanged;
    delivery = { ...delivery, version: 6 };
    await user.click(await screen.findByRole('button', { name: 'Delete item' }));
    expect(await screen.findByText(/so the item wasn't deleted/)).toBeInTheDocument();
    await waitFor(() => expect(sent('ViewDelivery').length).toBeGreaterThan(1));
    answers.DeleteDeliveryItem = () => saved('deleteDeliveryItem');
    await user.click(screen.getByRole('button', { name: 'Delete item' }));
    await waitFor(() => expect(sent('DeleteDeliveryItem')).toHaveLength(2));
    expect(input('DeleteDeliveryItem', 1)).toMatchObject({ version: 6 });
  });

  it('are only shown once something was tried', async () => {
    delivery = fullDelivery({ deliverystatus: 'Undelivered', allowedActions: ['edit'] });
    await open();
    expect(screen.getByRole('row', { name: /Goods 20/ })).toBeInTheDocument();
    expect(screen.queryByRole('button', { name: 'Delete item 20' })).not.toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Add item' })).not.toBeInTheDocument();
  });

  it('are changed on a page of their own', async () => {
    const { user } = await open();
    await user.click(screen.getByRole('link', { name: 'Edit item 20' }));
    expect(await screen.findByLabelText('Item')).toHaveAttribute('readonly');
    expect(box('Expected')).toHaveValue('24');
    await expectAccessible();
    await enter(user, box('Expected'), '24.5');
    await enter(user, box('SKU'), 'CO-1L');
    await user.click(save());
    expect(await screen.findByText('Item 20 saved')).toBeInTheDocument();
    expect(input('UpdateDeliveryItem')).toEqual({
      deliveryId: 'DR-1',
      version: 3,
      item: {
        itemNumber: '20',
        description: 'Goods 20',
        sku: 'CO-1L',
        unit: 'box',
        quantity: 24.5,
        weightKg: null,
        barcode: null,
      },
    });
  });

  it('keep what was typed when somebody else was faster', async () => {
    const { user } = await open('/edit-delivery/DR-1/edit-delivery-item/20');
    await enter(user, box('Expected'), '25');
    answers.UpdateDeliveryItem = () => deliveryChanged;
    delivery = fullDelivery({
      version: 5,
      updatedBy: 'dennis',
      items: [deliveryItem('20', { quantity: 30, sku: 'NEW' })],
    });
    await user.click(save());
    expect(await screen.findByText(/Changed elsewhere by dennis/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Reload and keep my entries' }));
    expect(box('SKU')).toHaveValue('NEW');
    expect(box('Expected')).toHaveValue('25');
    answers.UpdateDeliveryItem = () => saved('updateDeliveryItem');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDeliveryItem')).toHaveLength(2));
    expect(input('UpdateDeliveryItem', 1)).toMatchObject({ version: 5, item: { quantity: 25, sku: 'NEW' } });
  });

  it('show what the server refuses at their fields', async () => {
    answers.UpdateDeliveryItem = () => refusedFields({ 'item.quantity': ['Quantity is too much'] });
    const { user } = await open('/edit-delivery/DR-1/edit-delivery-item/20');
    await user.type(box('Expected'), '9');
    await user.click(save());
    await waitFor(() => expect(box('Expected')).toHaveAccessibleDescription('Quantity is too much'));
  });

  it('are added to a delivery that is kept', async () => {
    const { user, address } = await open();
    await user.click(screen.getByRole('link', { name: 'Add item' }));
    await waitFor(() => expect(address()).toBe('/new-deliveries/add-delivery-item?deliveryId=DR-1'));
    const number = await screen.findByLabelText('Item');
    expect(number).toHaveValue('30');
    await user.clear(number);
    await user.type(number, '10');
    await user.type(box('Expected'), '5');
    await user.click(screen.getByRole('button', { name: 'Add item' }));
    await waitFor(() => expect(number).toHaveAccessibleDescription('Item 10 already exists'));
    await user.clear(number);
    await user.type(number, '15');
    await user.click(screen.getByRole('button', { name: 'Add item' }));
    await waitFor(() => expect(address()).toBe('/edit-delivery/DR-1'));
    expect(input('CreateDeliveryItem')).toMatchObject({
      deliveryId: 'DR-1',
      version: 3,
      item: { itemNumber: '15', quantity: 5, unit: 'pcs' },
    });
  });

  it('have numbers that an address would take apart', async () => {
    const id = 'DR 1/2%';
    const number = 'A/1 50%';
    delivery = fullDelivery({ items: [deliveryItem(number)] });
    const { user } = await open(
      `/view-delivery-item/${encodeURIComponent(id)}/${encodeURIComponent(number)}`,
      id,
    );
    await screen.findByRole('heading', { name: `Item ${number}` });
    await user.click(screen.getByRole('link', { name: 'Edit item' }));
    await user.type(await screen.findByRole('textbox', { name: /^SKU/ }), 'X');
    await user.click(save());
    await waitFor(() => expect(sent('UpdateDeliveryItem')).toHaveLength(1));
    expect(input('UpdateDeliveryItem')).toMatchObject({ deliveryId: id, item: { itemNumber: number } });
  });
});

describe('the page of an item', () => {
  it('shows what was expected, what was counted, and leads to the next', async () => {
    delivery = completedDelivery();
    const { user, address } = await open('/view-delivery-item/DR-1/20');
    const fact = (label: string) => screen.getByText(label, { selector: 'dt' }).nextElementSibling;
    expect(fact('Expected')).toHaveTextContent('24');
    expect(fact('Delivered')).toHaveTextContent('22');
    expect(fact('Variance')).toHaveTextContent('−2');
    expect(fact('Condition')).toHaveTextContent('Damaged');
    await waitFor(() => expect(fact('Reason')).toHaveTextContent('Damaged in transit'));
    expect(screen.getByText('Carla Tan asks for a credit memo')).toBeInTheDocument();
    expect(screen.queryByRole('link', { name: 'Edit item' })).not.toBeInTheDocument();
    await expectAccessible();
    await user.click(screen.getByRole('link', { name: 'Previous item' }));
    await waitFor(() => expect(address()).toBe('/view-delivery-item/DR-1/10'));
    expect(await screen.findByRole('heading', { name: 'Item 10' })).toBeInTheDocument();
  });

  it('says that there is no such item', async () => {
    render('/view-delivery-item/DR-1/99');
    expect(await screen.findByRole('heading', { name: 'Item not found' })).toBeInTheDocument();
    await expectAccessible();
  });
});

describe('who may not', () => {
  it('reads why a delivery cannot be edited', async () => {
    delivery = completedDelivery();
    await open();
    expect(screen.getByRole('heading', { name: "“Edit delivery” isn't available right now" })).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Show delivery' })).toHaveAttribute('href', '/view-delivery/DR-1');
    await expectAccessible();
  });

  it('is sent away when only reading', async () => {
    const { address } = render('/edit-delivery/DR-1', { ...rosa, roles: ['viewer'] });
    await waitFor(() => expect(address()).toMatch(/^\/forbidden/));
  });
});

it('asks before what was typed is left', async () => {
  const { user, address } = await open();
  await enter(user, box('Contact name'), 'Carla');
  await user.click(screen.getByRole('link', { name: 'Edit item 20' }));
  expect(await screen.findByRole('alertdialog', { name: 'Leave without saving?' })).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Stay' }));
  expect(address()).toBe('/edit-delivery/DR-1');
  expect(box('Contact name')).toHaveValue('Carla');
});
