import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { reloadPage } from '@/lib/newer-build';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { Shell } from '@/shell/shell';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { FatalPage } from './failure-pages';
import { healthRoutes, notFoundRoutes } from './routes';

vi.mock(import('@/lib/newer-build'), async (original) => ({ ...(await original()), reloadPage: vi.fn<() => void>() }));

function Broken(): never {
  throw new Error('broken');
}

const declarations: RouteEntry[] = [
  ...healthRoutes,
  { name: 'broken', path: '/broken', page: () => Promise.resolve({ default: Broken }) },
  { name: 'gone', path: '/gone', page: () => Promise.reject(new Error('chunk')) },
  {
    unauthenticated: 'health',
    wrap: Broken,
    routes: [{ name: 'framed', path: '/framed', page: () => Promise.resolve({ default: Broken }) }],
  },
  { name: 'fatal', path: '/fatal', page: () => Promise.resolve({ default: FatalPage }) },
  {
    unauthenticated: 'health',
    wrap: Shell,
    routes: [{ name: 'viewDelivery', path: routePaths.viewDelivery, page: () => Promise.resolve({ default: Broken }) }],
  },
  ...notFoundRoutes,
];

function open(address: string, options: Parameters<typeof startFakeServer>[0] = {}) {
  startFakeServer(options);
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  return renderRoutes(declarations, address);
}

it('shows what is not found', async () => {
  open('/nothing');
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  expect(document.title).toBe('Page not found | Waybill');
  await expectAccessible();
});

it('keeps the shell around a missing page for signed-in users', async () => {
  open('/report', { user: rosa });
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  const menu = screen.getByRole('navigation', { name: 'Primary' });
  expect(within(menu).getByRole('link', { name: 'Deliveries' })).toBeInTheDocument();
  expect(document.title).toBe('Page not found | Waybill');
});

it('shows that the address of a page cannot be read, within its shell', async () => {
  open('/view-delivery/%zz', { user: rosa });
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  expect(screen.getByRole('navigation', { name: 'Primary' })).toBeInTheDocument();
  expect(document.title).toBe('Page not found | Waybill');
});

it.each(['/broken', '/gone'])('keeps the failure of %s to the page', async (address) => {
  open(address);
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeVisible();
});

it('has a fatal page that stands alone', async () => {
  open('/fatal');
  expect(
    await screen.findByText('Something went wrong and we are unable to show this page.'),
  ).toBeVisible();
  await expectAccessible();
});

it('is healthy', async () => {
  open('/health');
  expect(await screen.findByText('ok')).toBeVisible();
  expect(document.title).toBe('Health | Waybill');
});

it('shows the fatal page when the app crashes outside of a page', async () => {
  open('/framed', { user: rosa });
  expect(
    await screen.findByText('Something went wrong and we are unable to show this page.'),
  ).toBeVisible();
  expect(screen.getByRole('button', { name: 'Reload' })).toBeVisible();
});

describe('a page whose code is gone', () => {
  const running = '/assets/index-old.js';
  const pageOf = (entry: string) =>
    new Response(`<script src="/theme.js"></script><script type="module" crossorigin src="${entry}"></script>`);
  const failure = () => screen.findByRole('heading', { name: 'Something went wrong' });

  beforeEach(() => {
    sessionStorage.clear();
    vi.mocked(reloadPage).mockClear();
    document.head.innerHTML = `<script type="module" src="${running}"></script>`;
    return () => {
      document.head.innerHTML = '';
    };
  });

  it('is reloaded once when the server has a newer build', async () => {
    const paths = { '/': () => pageOf('/assets/index-new.js') };
    const view = open('/gone', { paths });
    await waitFor(() => expect(reloadPage).toHaveBeenCalledOnce());
    expect(screen.queryByRole('heading', { name: 'Something went wrong' })).not.toBeInTheDocument();
    view.unmount();
    // After the reload, the server still served the old build. The page must not reload in a loop.
    open('/gone', { paths });
    await failure();
    expect(reloadPage).toHaveBeenCalledOnce();
  });

  it.each([
    ['the build is the same', () => pageOf(running)],
    ['the server does not answer', () => Promise.reject(new TypeError('lost'))],
    ['something else answers', () => new Response('Sign in to the network', { status: 511 })],
  ])('fails like any other when %s', async (_, answer) => {
    open('/gone', { paths: { '/': answer } });
    await failure();
    expect(screen.getByRole('button', { name: 'Reload' })).toBeVisible();
    expect(reloadPage).not.toHaveBeenCalled();
  });
});
