import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { customer } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './customers-page';

let server: FakeServer;
let rows: object[];
let failing: boolean;

beforeEach(() => {
  failing = false;
  rows = [
    customer('Bayan Mart Makati'),
    customer('A/B 100%', { customerEmail: null, customerAddress: null, code: null }),
  ];
  server = startFakeServer({
    user: { ...rosa, roles: ['viewer'] },
    operations: {
      CustomersPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('customers', rows);
      },
      CustomersLookup: () => ({ data: { customers: rows } }),
    },
  });
});

async function open(search = '') {
  const view = renderRoutes(declarations, `/customers${search}`);
  await screen.findByRole('heading', { level: 1, name: 'Customers' });
  return view;
}

const page = () =>
  server.calls.findLast(({ name }) => name === 'CustomersPage')?.variables.page as {
    where: unknown;
    sort: unknown;
  };

it('lists name, e-mail and address, by name', async () => {
  await open();
  const first = await screen.findByRole('row', { name: /Bayan Mart Makati/ });
  expect(first).toHaveTextContent(
    'Bayan Mart Makatireceiving@bayanmart.example6780 Ayala Avenue, Makati CityC-017',
  );
  expect(page().sort).toEqual([{ key: 'customerName', direction: 'asc' }]);
  for (const name of ['Customer Name', 'Customer Email', 'Customer Address']) {
    expect(screen.getByRole('columnheader', { name: new RegExp(name) })).toBeInTheDocument();
  }
  await expectAccessible();
});

it('opens a customer whose name is no plain part of an address', async () => {
  await open();
  const row = await screen.findByRole('row', { name: /A\/B 100%/ });
  expect(within(row).getByRole('link', { name: 'A/B 100%' })).toHaveAttribute(
    'href',
    '/customer/A%2FB%20100%25',
  );
  expect(row).toHaveTextContent('A/B 100%NoneNoneNone');
});

it('is filtered by name, e-mail and address', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Filter' }));
  const menu = within(await screen.findByRole('dialog'));
  for (const name of ['Customer Name', 'Customer Email', 'Customer Address']) {
    expect(menu.getByRole('button', { name })).toBeInTheDocument();
  }
  await user.click(menu.getByRole('button', { name: 'Customer Address' }));
  await user.type(screen.getByLabelText('Value'), 'Ayala{Enter}');
  await user.click(screen.getByRole('button', { name: 'Apply' }));
  await waitFor(() =>
    expect(page().where).toEqual([
      { key: 'customerAddress', operator: 'contains', values: ['Ayala'] },
    ]),
  );
});

it('is found by name from the top bar', async () => {
  const { user } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Customer Name' }), '100%{Enter}');
  await waitFor(() =>
    expect(page().where).toEqual([
      { key: 'customerName', operator: 'contains', values: ['100%'] },
    ]),
  );
});

it('says that there is nothing yet, and what failed', async () => {
  rows = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No customers yet' });
  unmount();
  failing = true;
  await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
});
