import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import type { Role } from '@/auth/roles';
import { authRoutes } from '@/features/auth-pages/routes';
import { decodeFilters } from '@/list/filters-codec';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { navigationRecords } from './records';
import { Shell } from './shell';

const page = () => Promise.resolve({ default: () => <p>Content</p> });
const names = ['deliveries', 'viewDelivery', 'newDelivery', 'adminUsers', 'uploadDeliveries', 'viewCustomer'] as const;
const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: names.map((name) => ({ name, path: routePaths[name], page })),
  },
];

const NOTHING = {
  PaletteDeliveries: { deliveries: [], byReference: [] },
  PaletteParties: { customers: [], drivers: [], driversById: [] },
};
let found: Record<keyof typeof NOTHING, Record<string, unknown[]>>;
/** Lookups of this text get no answer. */
let held: string | undefined;

beforeEach(() => {
  found = NOTHING;
  held = undefined;
});

/** Answers a lookup, or leaves it without an answer. */
function answerOf(name: keyof typeof NOTHING, { text }: Record<string, unknown>) {
  return text === held ? new Promise<never>(() => undefined) : { data: found[name] };
}

const delivery = (id: string) => ({
  __typename: 'Delivery',
  id,
  customername: 'Bayan Mart Makati',
  deliverystatus: 'Pending',
});

async function open(address: string, user: Record<string, unknown> = rosa) {
  const server = startFakeServer({
    user,
    operations: {
      PaletteDeliveries: (variables) => answerOf('PaletteDeliveries', variables),
      PaletteParties: (variables) => answerOf('PaletteParties', variables),
      // DR-2 no longer exists.
      PaletteRecent: () => ({ data: { deliveries: [delivery('DR-1'), delivery('DR-3')] } }),
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('navigation', { name: 'Primary' });
  async function palette() {
    await view.user.keyboard('{Control>}k{/Control}');
    return screen.findByRole('combobox');
  }
  return { ...view, server, palette };
}

const group = (heading: string) =>
  within(screen.getByRole('group', { name: heading }))
    .getAllByRole('option')
    .map((option) => option.textContent?.trim());

/** Screens without parameters that are open to this role. */
function screensOf(role: Role) {
  const outside = ['login', 'createAdmin', 'forgotPassword', 'resetPassword', 'register', 'health', 'forbidden'];
  return Object.values(navigationRecords)
    .filter(({ name, path }) => !path.includes('{') && !outside.includes(name) && name !== 'newDeliveryItem')
    .filter(({ roles }) => roles === undefined || [roles].flat().includes(role)).length;
}

it.each(['admin', 'transport_planner', 'dispatcher', 'viewer'] as const)(
  'has every screen that the role %s may open, and no other',
  async (role) => {
    const { palette } = await open('/deliveries', { ...rosa, roles: [role] });
    await palette();
    const pages = group('Go to');
    expect(pages).toHaveLength(screensOf(role));
    expect(pages).toContain('Deliveries');
    expect(pages.includes('Audit log')).toBe(role === 'admin');
    expect(pages.includes('New driver')).toBe(role !== 'viewer');
    await expectAccessible(screen.getByRole('dialog'));
  },
);

it('finds a page by its link and by its title', async () => {
  const { user, palette, address } = await open('/deliveries');
  const box = await palette();
  await user.type(box, 'users');
  expect(group('Go to')).toContain('Settings Users');
  await user.clear(box);
  await user.type(box, 'new delivery{Enter}');
  await waitFor(() => expect(address()).toBe('/new-deliveries'));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('offers the deliveries that were open last, the last one first', async () => {
  const { user, palette, router, address, server } = await open('/view-delivery/DR-3');
  for (const id of ['DR-2', 'DR-1']) {
    await router.navigate(`/view-delivery/${id}`);
    await waitFor(() => expect(localStorage.getItem('waybill.recent.u1')).toContain(`["${id}"`));
  }
  await palette();
  expect(await screen.findByRole('option', { name: /DR-1/ })).toBeInTheDocument();
  expect(group('Recent deliveries').map((text) => text?.slice(0, 4))).toEqual(['DR-1', 'DR-3']);
  expect(server.calls.find(({ name }) => name === 'PaletteRecent')?.variables).toEqual({
    ids: ['DR-1', 'DR-2', 'DR-3'],
    limit: 5,
  });
  await user.click(screen.getByRole('option', { name: /DR-3/ }));
  await waitFor(() => expect(address()).toBe('/view-delivery/DR-3'));
});

it('offers nobody what somebody else had open', async () => {
  localStorage.setItem('waybill.recent.u1', '["DR-1"]');
  const { palette } = await open('/deliveries', { ...rosa, id: 'u2' });
  await palette();
  expect(screen.queryByRole('group', { name: 'Recent deliveries' })).not.toBeInTheDocument();
});

it('switches the theme, and signs out', async () => {
  const { user, palette, address, server } = await open('/deliveries');
  await user.type(await palette(), 'dark{Enter}');
  expect(document.documentElement).toHaveAttribute('data-theme', 'dark');
  await user.type(await palette(), 'light theme{Enter}');
  expect(document.documentElement).toHaveAttribute('data-theme', 'light');
  await user.type(await palette(), 'logout{Enter}');
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() => expect(address()).toBe('/login'));
  expect(server.calls.map(({ name }) => name)).toContain('POST logout');
});

it('is walked through by keys alone, round and round', async () => {
  const { user, palette } = await open('/deliveries');
  await palette();
  const selected = () => screen.getByRole('option', { selected: true }).textContent?.trim();
  await waitFor(() => expect(selected()).toBe('Dashboard'));
  await user.keyboard('{ArrowUp}');
  expect(selected()).toBe('Logout');
  await user.keyboard('{ArrowDown}{ArrowDown}');
  expect(selected()).not.toBe('Dashboard');
  await user.keyboard('{Escape}');
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('closes by a button, for those without a key to do so', async () => {
  const { user, palette } = await open('/deliveries');
  await palette();
  await user.click(screen.getByRole('button', { name: 'Close' }));
  expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
});

it('opens by a button whose name has in it what is to be read on it', async () => {
  const { user } = await open('/deliveries');
  await user.click(screen.getByRole('button', { name: /Ctrl K$/ }));
  expect(await screen.findByRole('combobox')).toHaveFocus();
});

it('offers the lists to search when nothing is found, the deliveries first', async () => {
  const { user, palette } = await open('/deliveries');
  await user.type(await palette(), 'zzzz');
  await waitFor(() =>
    expect(group('Search in').map((text) => text?.split(' ')[0])).toEqual(['Deliveries', 'Forms', 'Delivery', 'Driver']),
  );
  expect(group('Search in')[0]).toBe('Deliveries Delivery Doc contains "zzzz"');
  expect(screen.queryByText(/^Nothing found/)).not.toBeInTheDocument();
});

it('says when nothing is found for someone who may search no list', async () => {
  const { user, palette } = await open('/new-deliveries', { ...rosa, roles: [] });
  await user.type(await palette(), 'zzzz');
  expect(await screen.findByText('Nothing found for "zzzz"')).toBeInTheDocument();
});

it('finds deliveries by any part of a document, customers and drivers', async () => {
  const { user, palette, address, server } = await open('/deliveries');
  found = {
    PaletteDeliveries: { deliveries: [delivery('DR-19886')], byReference: [delivery('DR-5'), delivery('DR-19886')] },
    PaletteParties: {
      customers: [{ __typename: 'Customer', customerName: 'Store 886', customerAddress: 'Makati' }],
      drivers: [{ __typename: 'Driver', driverId: 'DRV-886', name: 'Pepito Santos' }],
      driversById: [{ __typename: 'Driver', driverId: 'DRV-886', name: 'Pepito Santos' }],
    },
  };
  await user.type(await palette(), '886');
  await screen.findByRole('option', { name: /Pepito Santos/ });
  expect(group('Deliveries').map((text) => text?.slice(0, 8).trim())).toEqual(['DR-19886', 'DR-5 Bay']);
  expect(group('Drivers')).toEqual(['Pepito Santos DRV-886']);
  expect(server.calls.findLast(({ name }) => name === 'PaletteDeliveries')?.variables).toMatchObject({
    text: '886',
    operator: 'contains',
  });
  await user.click(screen.getByRole('option', { name: /Store 886/ }));
  await waitFor(() => expect(address()).toBe('/customer/Store%20886'));
});

it('finds by the beginning while the text is short', async () => {
  const { user, palette, server } = await open('/deliveries');
  await user.type(await palette(), 'DR');
  await waitFor(() =>
    expect(server.calls.findLast(({ name }) => name === 'PaletteDeliveries')?.variables).toMatchObject({
      text: 'DR',
      operator: 'startsWith',
    }),
  );
});

it.each([
  ['the next lookup waits for another key', 'DR-1'],
  ['the next lookup is under way', 'DR-19'],
])('opens nothing that was found for an earlier text while %s', async (_, lookup) => {
  const { user, palette, address, server } = await open('/deliveries');
  found = { ...NOTHING, PaletteDeliveries: { deliveries: [delivery('DR-18')], byReference: [] } };
  held = 'DR-19';
  await user.type(await palette(), 'DR-1');
  await screen.findByRole('option', { name: /DR-18/, selected: true });
  const asked = () => server.calls.filter(({ name }) => name === 'PaletteDeliveries').at(-1)?.variables.text;
  await user.keyboard('9');
  await waitFor(() => expect(asked()).toBe(lookup));
  expect(screen.queryByRole('option', { name: /DR-18/ })).not.toBeInTheDocument();
  await user.keyboard('{Enter}');
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  const { searchParams, pathname } = new URL(address(), 'http://localhost');
  expect(pathname).toBe('/deliveries');
  expect(decodeFilters(searchParams.get('filters')).filters).toMatchObject([
    { key: 'id', operator: 'contains', values: [{ value: 'DR-19' }] },
  ]);
});
