import { act, screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { Shell } from './shell';
// Loaded up front, so that no test waits for a lazy import.
import './session-dialog';

const page = () => Promise.resolve({ default: () => <input aria-label="Note" /> });
const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [{ name: 'deliveries', path: routePaths.deliveries, page }],
  },
];

let server: FakeServer;

beforeEach(() => {
  server = startFakeServer({
    user: rosa,
    login: ({ password }) => (password === 'right' ? { user: rosa } : { error: 'Incorrect password' }),
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
});

async function expire() {
  const view = renderRoutes(declarations, '/deliveries?limit=50');
  const note = await screen.findByRole('textbox', { name: 'Note' });
  await view.user.type(note, 'Call first');
  server.signOut();
  await act(() => {
    view.auth.expire();
    return Promise.resolve();
  });
  const dialog = await screen.findByRole('alertdialog', { name: 'You were signed out' });
  return { ...view, note, dialog: within(dialog) };
}

it('asks for the password over the page, which keeps what was typed', async () => {
  const { user, address, note, dialog } = await expire();
  expect(dialog.getByText('rosa')).toBeInTheDocument();
  const password = dialog.getByLabelText('Password');
  expect(password).toHaveFocus();
  await expectAccessible();
  await user.type(password, 'right{Enter}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(address()).toBe('/deliveries?limit=50');
  expect(note).toBeInTheDocument();
  expect(note).toHaveValue('Call first');
});

it('says why the password was refused, and stays', async () => {
  const { user, note, dialog } = await expire();
  await user.type(dialog.getByLabelText('Password'), 'wrong{Enter}');
  expect(await dialog.findByRole('alert')).toHaveTextContent('Incorrect password');
  await user.keyboard('{Escape}');
  expect(dialog.getByLabelText('Password')).toBeInTheDocument();
  expect(note).toHaveValue('Call first');
});

it('lets someone else log in, who comes back to this page', async () => {
  const { user, address, dialog } = await expire();
  await user.click(dialog.getByRole('button', { name: 'Sign in as another user' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(address()).toBe('/login?redirectTo=/deliveries%3Flimit%3D50');
});
