import { screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { FatalPage } from './components/fatal-page';
import { healthRoutes, notFoundRoutes } from './routes';

function Broken(): never {
  throw new Error('broken');
}

const declarations: RouteEntry[] = [
  ...healthRoutes,
  { name: 'broken', path: '/broken', page: () => Promise.resolve({ default: Broken }) },
  { name: 'gone', path: '/gone', page: () => Promise.reject(new Error('chunk')) },
  { name: 'fatal', path: '/fatal', page: () => Promise.resolve({ default: FatalPage }) },
  ...notFoundRoutes,
];

function open(address: string) {
  startFakeServer();
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  return renderRoutes(declarations, address);
}

it('shows what is not found', async () => {
  open('/nothing');
  expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
  expect(document.title).toBe('Page not found | Waybill');
  await expectAccessible();
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
});
