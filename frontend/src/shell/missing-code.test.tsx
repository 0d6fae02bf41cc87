import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import type { RouteEntry } from '@/routing/declarations';
import { authRoutes } from '@/features/auth-pages/routes';
import { routePaths } from '@/routing/route-paths';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { Shell } from './shell';

const code = vi.hoisted(() => ({ isThere: false, requests: [] as string[] }));

async function request<Module>(name: string, original: () => Promise<Module>): Promise<Module> {
  code.requests.push(name);
  if (!code.isThere) throw new Error('chunk');
  return original();
}
vi.mock('./session-dialog', (original) => request('dialog', original));
vi.mock('./announcements-menu', (original) => request('bell', original));

const dialogRequests = () => code.requests.filter((name) => name === 'dialog').length;

const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      {
        name: 'deliveries',
        path: routePaths.deliveries,
        page: () => Promise.resolve({ default: () => <input aria-label="Note" /> }),
      },
    ],
  },
];

let server: FakeServer;

beforeEach(() => {
  code.isThere = false;
  code.requests = [];
  server = startFakeServer({
    user: rosa,
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
      MyAnnouncements: () => ({ data: { myAnnouncements: [] } }),
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/deliveries');
  await view.user.type(await screen.findByRole('textbox', { name: 'Note' }), 'Call first');
  return view;
}

async function expire({ auth }: Awaited<ReturnType<typeof open>>) {
  server.signOut();
  await act(() => {
    auth.expire();
    return Promise.resolve();
  });
}

const missing = () => screen.findByText(/^The sign-in form couldn't be loaded/);

it('keeps the page when the session ends and the dialog cannot be loaded', async () => {
  const view = await open();
  await expire(view);
  expect(await missing()).toBeInTheDocument();
  expect(view.address()).toBe('/deliveries');
  const before = dialogRequests();
  await view.user.click(screen.getByRole('button', { name: 'Retry' }));
  await waitFor(() => expect(dialogRequests()).toBe(before + 1));
  const note = await missing();
  // Signing in in another tab helps, too.
  server.signIn(rosa);
  fireEvent.focus(window);
  await waitFor(() => expect(note).not.toBeInTheDocument());
  expect(screen.getByRole('textbox', { name: 'Note' })).toHaveValue('Call first');
});

it('leaves the page without the dialog only if the user asks for it', async () => {
  const view = await open();
  await expire(view);
  await view.user.click(await screen.findByRole('button', { name: 'Sign in as another user' }));
  await screen.findByRole('heading', { name: 'Sign in' });
});

it('loads the bell with a click if it could not be loaded with the page', async () => {
  const view = await open();
  const bell = await screen.findByRole('button', { name: 'Announcements' });
  code.isThere = true;
  await view.user.click(bell);
  expect(await screen.findByText('No announcements')).toBeInTheDocument();
});

it('has the dialog before the session ends', async () => {
  code.isThere = true;
  const view = await open();
  await waitFor(() => expect(dialogRequests()).toBe(1), { timeout: 10_000 });
  code.isThere = false;
  await expire(view);
  expect(await screen.findByRole('alertdialog', { name: 'You were signed out' })).toBeInTheDocument();
});
