import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { source } from '@/test/parties';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './sources-page';

const total = (count: number) => ({ __typename: 'Count', total: count, exact: true });

let server: FakeServer;
let rows: object[];
let roles: string[];
let failing: boolean;

beforeEach(() => {
  failing = false;
  roles = ['dispatcher'];
  rows = [source('s1'), source('s2', { name: 'Old shop', isActive: false })];
});

async function open() {
  server = startFakeServer({
    user: { ...rosa, roles },
    operations: {
      SourcesPage: () => {
        if (failing) throw new TypeError('lost');
        return listOf('sources', rows);
      },
      SourcesByStatus: () => ({ data: { all: total(2), active: total(1), disabled: total(1) } }),
    },
  });
  const view = renderRoutes(declarations, '/sources');
  await screen.findByRole('heading', { level: 1, name: 'Sources' });
  return view;
}

const sent = (name: string) => server.calls.filter((call) => call.name === name);
const page = () => sent('SourcesPage').at(-1)?.variables.page as { where: unknown };

it('lists the sources with their status', async () => {
  await open();
  const first = await screen.findByRole('row', { name: /Warehouse file/ });
  expect(within(first).getByRole('link', { name: 'Warehouse file' })).toHaveAttribute(
    'href',
    '/source/s1',
  );
  expect(first).toHaveTextContent('Active');
  expect(screen.getByRole('row', { name: /Old shop/ })).toHaveTextContent('Disabled');
  expect(screen.getByRole('link', { name: 'New source' })).toHaveAttribute('href', '/new-source');
  await expectAccessible();
});

it('is narrowed to those that are active', async () => {
  const { user } = await open();
  const views = within(screen.getByRole('navigation', { name: 'Views' }));
  await user.click(await views.findByRole('link', { name: /^Active\s*1$/ }));
  await waitFor(() =>
    expect(page().where).toEqual([{ key: 'isActive', operator: 'equals', values: ['true'] }]),
  );
  expect(
    screen.getByRole('button', { name: 'Change filter: Source Status is Active' }),
  ).toBeInTheDocument();
});

it('is found by name from the top bar', async () => {
  const { user } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Source name' }), 'shop{Enter}');
  await waitFor(() =>
    expect(page().where).toEqual([{ key: 'name', operator: 'contains', values: ['shop'] }]),
  );
});

it('offers no new one to whoever only reads', async () => {
  roles = ['viewer'];
  await open();
  await screen.findByRole('row', { name: /Warehouse file/ });
  expect(screen.queryByRole('link', { name: 'New source' })).not.toBeInTheDocument();
});

it('says that there is nothing yet, and what failed', async () => {
  rows = [];
  const { unmount } = await open();
  await screen.findByRole('heading', { name: 'No sources yet' });
  unmount();
  failing = true;
  await open();
  await screen.findByRole('heading', { name: 'Something went wrong' });
});
