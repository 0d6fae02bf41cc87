import { act, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import type { renderRoutes as render } from '@/test/render';
import type { PrivateFrame as Frame } from './private-frame';

const shell = vi.hoisted(() => ({ isGone: false }));
vi.mock('@/shell/shell', () => ({
  get Shell() {
    if (shell.isGone) throw new Error('chunk');
    return ({ children }: { children: React.ReactNode }) => <div data-testid="shell">{children}</div>;
  },
}));

let PrivateFrame: typeof Frame;
let renderRoutes: typeof render;

// The module caches the loaded shell, so each test needs a fresh one.
beforeEach(async () => {
  vi.resetModules();
  ({ PrivateFrame } = await import('./private-frame'));
  ({ renderRoutes } = await import('@/test/render'));
});

const page = (title: string) => () => Promise.resolve({ default: () => <h1>{title}</h1> });

function open(address: string, user: Record<string, unknown> = rosa) {
  startFakeServer({ user });
  return renderRoutes(
    [
      { name: 'login', path: '/login', page: page('Sign in') },
      {
        unauthenticated: 'login',
        wrap: PrivateFrame,
        routes: [{ name: 'deliveries', path: '/deliveries', page: page('Deliveries') }],
      },
    ],
    address,
  );
}

it('says that the shell could not be fetched, without it', async () => {
  shell.isGone = true;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const view = open('/deliveries');
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(screen.queryByTestId('shell')).not.toBeInTheDocument();
  view.unmount();
});

it('is there with the page, so that what announces the page finds its heading', async () => {
  shell.isGone = false;
  const { router } = open('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  const gaps: (string | null)[] = [];
  const observer = new MutationObserver(() => {
    if (!document.querySelector('h1')) gaps.push(document.body.textContent);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  await act(() => router.navigate('/deliveries'));
  const heading = await screen.findByRole('heading', { name: 'Deliveries' });
  observer.disconnect();
  expect(screen.getByTestId('shell')).toContainElement(heading);
  expect(gaps).toEqual([]);
});

it('shows no page to a browser that does not know the time zone of its times', async () => {
  const { user } = open('/deliveries', { ...rosa, organization: { ...rosa.organization, timezone: 'Mars/Olympus' } });
  expect(await screen.findByRole('heading', { level: 1, name: 'This browser is out of date' })).toBeVisible();
  expect(screen.getByText(/^It doesn't know Mars\/Olympus, the time zone of your organization/)).toBeVisible();
  expect(screen.queryByRole('heading', { name: 'Deliveries' })).not.toBeInTheDocument();
  await expectAccessible();
  await user.click(screen.getByRole('button', { name: 'Logout' }));
  expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeVisible();
});
