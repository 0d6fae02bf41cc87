import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { decodeFilters } from '@/list/filters-codec';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { deliveryRow } from '@/test/deliveries';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { customer } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './view-customer-page';

const NAME = 'A/B 100%';

let server: FakeServer;
let found: object | null;
let roles: string[];
let open: object[];
let total: number;
let failing: boolean;

beforeEach(() => {
  found = customer(NAME, { podRequirement: [] });
  roles = ['dispatcher'];
  open = [deliveryRow(7), deliveryRow(8, { deliverystatus: 'Undelivered', driverId: 'DRV-014' })];
  total = 12;
  failing = false;
});

async function show() {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      ViewCustomer: () =>
        failing
          ? { data: { customer: null }, errors: [{ message: 'Deliveries cannot be reached' }] }
          : { data: { customer: found } },
      CustomerOpenDeliveries: () => listOf('deliveries', open, total),
    },
  });
  return renderRoutes(declarations, '/customer/A%2FB%20100%25');
}

const asked = (name: string) => server.calls.find((call) => call.name === name)?.variables;

function filtersOf(link: HTMLElement) {
  const { searchParams } = new URL(link.getAttribute('href') ?? '', 'http://localhost');
  return decodeFilters(searchParams.get('filters')).filters.map(({ key, operator, values }) => [
    key,
    operator,
    ...values.map(({ value }) => value),
  ]);
}

it('shows the facts of a customer, whatever is in its name', async () => {
  await show();
  await screen.findByRole('heading', { level: 2, name: NAME });
  expect(asked('ViewCustomer')).toEqual({ customerName: NAME });
  const facts = screen.getByRole('region', { name: 'Details' });
  expect(facts).toHaveTextContent('Customer Emailreceiving@bayanmart.example');
  expect(facts).toHaveTextContent('6780 Ayala Avenue, Makati City14.55900, 121.02000');
  expect(facts).toHaveTextContent('Required proofNothing');
  expect(within(facts).getByRole('link', { name: '+63 2 8555 0147' })).toHaveAttribute('href', 'tel:+63285550147');
  expect(facts).toHaveTextContent('Oct 30, 2026 5:12 PMby dennis');
  expect(screen.getByRole('link', { name: 'Edit' })).toHaveAttribute(
    'href',
    '/edit-customer/A%2FB%20100%25',
  );
  await expectAccessible();
});

it('shows what is on its way, and leads to all of it', async () => {
  await show();
  const panel = within(await screen.findByRole('region', { name: 'Open deliveries' }));
  expect(await panel.findByRole('link', { name: 'DR-7' })).toHaveAttribute(
    'href',
    '/view-delivery/DR-7',
  );
  const where = [
    { key: 'customername', operator: 'equals', values: [NAME] },
    { key: 'deliverystatus', operator: 'equals', values: ['Pending', 'Undelivered'] },
  ];
  expect(asked('CustomerOpenDeliveries')).toEqual({
    page: {
      where,
      sort: [{ key: 'scheduledatetime', direction: 'asc' }],
      limit: 5,
      offset: 0,
    },
    where,
  });
  expect(filtersOf(panel.getByRole('link', { name: 'Show all 12 open deliveries' }))).toEqual([
    ['customername', 'equals', NAME],
    ['deliverystatus', 'equals', 'Pending', 'Undelivered'],
  ]);
  expect(filtersOf(panel.getByRole('link', { name: 'Show all deliveries' }))).toEqual([
    ['customername', 'equals', NAME],
  ]);
});

it('says that nothing is on its way', async () => {
  open = [];
  total = 0;
  await show();
  await screen.findByText('No open deliveries for this customer.');
  expect(screen.queryByRole('link', { name: /open deliver/ })).not.toBeInTheDocument();
});

it('offers no edit to whoever only reads', async () => {
  roles = ['viewer'];
  await show();
  await screen.findByRole('heading', { level: 2, name: NAME });
  expect(screen.queryByRole('link', { name: 'Edit' })).not.toBeInTheDocument();
});

it('does not take a failure for a customer that is not there', async () => {
  failing = true;
  const { user } = await show();
  await screen.findByRole('heading', { name: 'Something went wrong' });
  expect(screen.getByText('Deliveries cannot be reached')).toBeInTheDocument();
  failing = false;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  await screen.findByRole('heading', { level: 2, name: NAME });
});

it('says that there is no such customer', async () => {
  found = null;
  const { user, address } = await show();
  await screen.findByRole('heading', { name: 'Customer not found' });
  expect(screen.getByText(/^There's no customer named A\/B 100%/)).toBeInTheDocument();
  await user.click(screen.getByRole('link', { name: 'Show customers' }));
  await waitFor(() => expect(address()).toBe('/customers'));
});
