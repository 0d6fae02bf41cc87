import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { forbiddenRoutes } from '@/features/errors/routes';
import { authRoutes } from '@/features/auth-pages/routes';
import { decodeFilters } from '@/list/filters-codec';
import { parseSearch } from '@/routing/paths';
import { routePaths } from '@/routing/route-paths';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import type { RouteEntry } from '@/routing/declarations';
import { Shell } from './shell';

const page = () => Promise.resolve({ default: () => <p>Content</p> });
const names = ['account', 'deliveries', 'viewDelivery', 'uploadDeliveries', 'uploadedDetails'] as const;
const declarations: RouteEntry[] = [
  { path: '/', redirect: 'deliveries' },
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      ...forbiddenRoutes,
      ...names.map((name) => ({ name, path: routePaths[name], page })),
    ],
  },
];

const found = {
  data: {
    deliveries: [
      { id: 'DR-1184102', customername: 'Bayan Mart Makati', deliverystatus: 'Pending' },
    ],
    byReference: [],
  },
};

async function open(address = '/deliveries', user: Record<string, unknown> = rosa) {
  const server = startFakeServer({ user, operations: { PaletteDeliveries: () => found } });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('navigation', { name: 'Primary' });
  return { ...view, server };
}

it('frames a page with landmarks, its record and the user', async () => {
  await open();
  expect(screen.getByRole('heading', { level: 1, name: 'Deliveries' })).toBeInTheDocument();
  expect(document.title).toBe('Deliveries | Waybill');
  expect(screen.getByRole('main')).toHaveTextContent('Content');
  expect(screen.getByRole('link', { name: 'Skip to content' })).toHaveAttribute('href', '#main');
  expect(await screen.findByText('Habagat Logistics')).toBeInTheDocument();
  expect(screen.getByText('rosa')).toBeInTheDocument();
  expect(screen.getByText('v1.0.30')).toBeInTheDocument();
  await expectAccessible();
});

it('names the record in the titles', async () => {
  await open('/view-delivery/DR-1');
  expect(document.title).toBe('DR-1 · View delivery | Waybill');
  expect(screen.getByRole('heading', { level: 1 })).toHaveTextContent('View delivery DR-1');
});

describe('the drawer', () => {
  const links = () => within(screen.getByRole('navigation', { name: 'Primary' }));

  it('shows the links that lead somewhere and marks the open one', async () => {
    await open();
    expect(links().getAllByRole('link').map((link) => link.textContent)).toEqual([
      'Dashboard',
      'Import',
      'Reports',
      'Forms',
      'Drivers',
      'Driver Tracker',
      'Drivers Reset Password',
      'User Reset Password',
      'Delivery Status History',
      'Driver Log',
      'Deliveries',
      'Sources',
      'Customers',
      'Query Lab',
      'Settings',
      'Announcements',
    ]);
    expect(links().getByRole('link', { name: 'Deliveries' })).toHaveAttribute(
      'aria-current',
      'page',
    );
  });

  it('marks the link a deeper page lies below', async () => {
    await open('/view-delivery/DR-1');
    expect(links().getByRole('link', { name: 'Deliveries' })).toHaveAttribute(
      'aria-current',
      'true',
    );
    expect(screen.getByRole('link', { name: 'Back to Deliveries' })).toHaveAttribute(
      'href',
      '/deliveries',
    );
  });

  it('opens as a sheet', async () => {
    const { user } = await open();
    const bar = within(screen.getByRole('banner'));
    await user.click(bar.getByRole('button', { name: 'Open menu' }));
    const sheet = await screen.findByRole('dialog', { name: 'Menu' });
    await expectAccessible(sheet);
    await user.click(within(sheet).getByRole('link', { name: 'Import' }));
    await screen.findByRole('heading', { level: 1, name: 'Import' });
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });

  it('leads to the own account from the name of the user', async () => {
    const { user, address } = await open();
    const account = within(screen.getByRole('region', { name: 'Account' }));
    expect(account.getByText('r')).toBeInTheDocument();
    await user.click(account.getByRole('link', { name: 'rosa' }));
    await screen.findByRole('heading', { level: 1, name: 'Account' });
    expect(address()).toBe('/account');
    expect(account.getByRole('link', { name: 'rosa' })).toHaveAttribute('aria-current', 'page');
  });

  it('signs out, and leads to login', async () => {
    const { user, address, server } = await open();
    await user.click(screen.getByRole('button', { name: 'Logout' }));
    await screen.findByRole('heading', { name: 'Sign in' });
    await waitFor(() => expect(address()).toBe('/login'));
    expect(server.calls.map(({ name }) => name)).toContain('POST logout');
  });
});

describe('the quick search', () => {
  const box = () => screen.getByRole('textbox', { name: 'Delivery Doc' });

  it('is there only where the record has one', async () => {
    await open('/upload-deliveries');
    expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  });

  it('has no key where somebody turned single keys off, unlike the palette', async () => {
    localStorage.setItem('waybill.list.shortcuts', 'false');
    const { user } = await open('/deliveries');
    await user.keyboard('/');
    expect(box()).not.toHaveFocus();
    expect(box()).not.toHaveAttribute('aria-keyshortcuts');
    await user.keyboard('{Control>}k{/Control}');
    expect(await screen.findByRole('dialog', { name: 'Command palette' })).toBeInTheDocument();
  });

  it('filters the list and closes with limit and offset only', async () => {
    const { user, address } = await open('/deliveries?limit=50&offset=50&sort=-id');
    await user.keyboard('/');
    expect(box()).toHaveFocus();
    await user.keyboard('DR-11{Enter}');
    await waitFor(() => expect(address()).toContain('filters='));
    const { filters } = parseSearch(address().slice('/deliveries'.length));
    expect(decodeFilters(filters).filters).toEqual([
      { key: 'id', operator: 'contains', values: [{ label: 'DR-11', value: 'DR-11' }] },
    ]);
    expect(box()).toHaveValue('DR-11');
    await user.click(screen.getByRole('button', { name: 'Close search' }));
    await waitFor(() => expect(address()).toBe('/deliveries?limit=50'));
    expect(box()).toHaveValue('');
    expect(screen.getByRole('main')).toHaveFocus();
  });

  it('closes the keyboard of a phone, which would cover what was found', async () => {
    const { matchMedia } = window;
    const { user, address } = await open('/deliveries');
    window.matchMedia = (query) => ({ ...matchMedia(query), matches: query === '(pointer: coarse)' });
    await user.type(box(), 'DR-11{Enter}');
    window.matchMedia = matchMedia;
    await waitFor(() => expect(address()).toContain('filters='));
    expect(box()).not.toHaveFocus();
  });
});

it('searches for all Delivery Docs that are pasted, or says that they are too many', async () => {
  const { user, address } = await open('/deliveries');
  const docs = (count: number) => Array.from({ length: count }, (_, index) => `DR-${104_000 + index}`);
  const paste = async (separator: string, count: number) => {
    await user.clear(screen.getByRole('textbox', { name: 'Delivery Doc' }));
    await user.paste(docs(count).join(separator));
    await user.keyboard('{Enter}');
  };
  for (const [separator, count] of [['\n', 80], [', ', 220]] as const) {
    // oxlint-disable-next-line no-await-in-loop -- one after the other
    await paste(separator, count);
    const { filters } = parseSearch(address().slice('/deliveries'.length));
    expect(decodeFilters(filters).filters[0]?.values.map(({ value }) => value)).toEqual(docs(count));
  }
  const before = address();
  await paste('\n', 2000);
  expect(await screen.findByText('Too many filters or values. Remove some of them.')).toBeInTheDocument();
  expect(address()).toBe(before);
});

it('leaves the list alone when a quick search that was never made is closed', async () => {
  const { user, address } = await open('/deliveries?limit=50&sort=-id');
  await user.keyboard('/DR-11');
  await user.keyboard('{Escape}');
  expect(screen.getByRole('textbox', { name: 'Delivery Doc' })).toHaveValue('');
  expect(address()).toBe('/deliveries?limit=50&sort=-id');
  expect(screen.getByRole('main')).toHaveFocus();
});

describe('the command palette', () => {
  it('finds pages and deliveries', async () => {
    const { user, address, server } = await open('/upload-deliveries');
    await user.keyboard('{Control>}k{/Control}');
    const input = await screen.findByRole('combobox');
    expect(screen.getByRole('option', { name: 'Import' })).toBeInTheDocument();
    await user.type(input, 'DR-11');
    const hit = await screen.findByRole('option', { name: /DR-1184102/ });
    expect(server.calls.find(({ name }) => name === 'PaletteDeliveries')?.variables).toEqual({
      text: 'DR-11',
      operator: 'contains',
      limit: 30,
    });
    await expectAccessible(screen.getByRole('dialog'));
    await user.click(hit);
    await waitFor(() => expect(address()).toBe('/view-delivery/DR-1184102'));
    expect(screen.queryByRole('dialog')).not.toBeInTheDocument();
  });
});

it('offers in the palette what can be done with the first hit, and where to search on', async () => {
  const { user, address } = await open('/upload-deliveries');
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), 'DR-11');
  await screen.findByText('Actions for DR-1184102');
  // Enter opens the matching record, although the searches were listed first.
  expect(screen.getByRole('option', { selected: true })).toHaveTextContent('DR-1184102');
  expect(screen.getByRole('option', { name: 'Edit delivery' })).toBeInTheDocument();
  expect(screen.getByRole('option', { name: 'Delivery form' })).toBeInTheDocument();
  await user.click(screen.getByRole('option', { name: 'Forms Delivery Doc contains "DR-11"' }));
  await waitFor(() => expect(address()).toMatch(/^\/forms\?filters=/));
});

it('finds the own account in the palette', async () => {
  const { user, address } = await open();
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), 'acc{Enter}');
  await waitFor(() => expect(address()).toBe('/account'));
});

describe('the news banner', () => {
  const news = { ...rosa, news: ['Road closed', 'New photo rule'] };
  const banner = () => screen.queryByRole('region', { name: 'News' });

  it('joins the items by commas and can be closed', async () => {
    const { user } = await open('/deliveries', news);
    expect(banner()).toHaveTextContent('Road closed, New photo rule');
    await expectAccessible();
    await user.click(screen.getByRole('button', { name: 'Close news' }));
    expect(banner()).not.toBeInTheDocument();
  });

  it('goes when it has run its loops', async () => {
    await open('/deliveries', news);
    const [text] = screen.getAllByText('Road closed');
    if (!text) throw new Error('no news');
    // jsdom has no CSS animations, so React listens for the prefixed event.
    fireEvent(text, new Event('webkitAnimationEnd', { bubbles: true }));
    expect(banner()).not.toBeInTheDocument();
  });

  it('can be paused', async () => {
    const { user } = await open('/deliveries', news);
    await user.click(screen.getByRole('button', { name: 'Pause' }));
    expect(screen.getByRole('button', { name: 'Play' })).toBeInTheDocument();
  });

  it('is not there without news', async () => {
    await open();
    expect(banner()).not.toBeInTheDocument();
  });
});

it('switches the theme and remembers a choice that differs from the system', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Switch to dark theme' }));
  expect(document.documentElement).toHaveAttribute('data-theme', 'dark');
  expect(localStorage.getItem('waybill.theme')).toBe('dark');
  await user.click(screen.getByRole('button', { name: 'Switch to light theme' }));
  expect(document.documentElement).toHaveAttribute('data-theme', 'light');
  expect(localStorage.getItem('waybill.theme')).toBeNull();
});

it('keeps the frame on the forbidden page', async () => {
  await open('/forbidden', { ...rosa, username: 'benjie', roles: ['dispatcher'] });
  expect(screen.getByRole('heading', { name: "You don't have access to this page" })).toBeInTheDocument();
  expect(screen.getByText("You're signed in as benjie (role: Dispatcher).")).toBeInTheDocument();
  await expectAccessible();
});
