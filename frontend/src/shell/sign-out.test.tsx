import { act, cleanup, fireEvent, screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import { UnsavedGuard } from '@/form/page-form';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { type FakeServerOptions, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { Shell } from './shell';
// Loaded up front, so that no test waits for a lazy import.
import '@/features/deliveries/edit/new-delivery-page';
import './drawer-sheet';
import './palette-dialog';

function NotePage() {
  const [note, setNote] = useState('');
  return (
    <>
      <UnsavedGuard isSaving={false} when={note !== ''} />
      <input aria-label="Note" value={note} onChange={({ target }) => setNote(target.value)} />
    </>
  );
}

const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      { name: 'deliveries', path: routePaths.deliveries, page: () => Promise.resolve({ default: NotePage }) },
      {
        name: 'newDelivery',
        path: routePaths.newDelivery,
        page: () => import('@/features/deliveries/edit/new-delivery-page'),
      },
    ],
  },
];

async function open(options: FakeServerOptions = {}) {
  const server = startFakeServer({
    user: rosa,
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
    ...options,
  });
  const view = renderRoutes(declarations, '/deliveries');
  const { user } = view;
  const note = await screen.findByRole('textbox', { name: 'Note' });
  return {
    ...view,
    server,
    note,
    question: async () => within(await screen.findByRole('alertdialog', { name: 'Leave without saving?' })),
    logouts: () => server.calls.filter(({ name }) => name === 'POST logout').length,
    logOut: {
      drawer: () => user.click(screen.getByRole('button', { name: 'Logout' })),
      async sheet() {
        await user.click(screen.getAllByRole('button', { name: 'Open menu' })[0] as HTMLElement);
        const sheet = within(await screen.findByRole('dialog', { name: 'Menu' }));
        await user.click(sheet.getByRole('button', { name: 'Logout' }));
      },
      async palette() {
        await user.keyboard('{Control>}k{/Control}');
        await user.type(await screen.findByRole('combobox'), 'logout');
        await user.click(await screen.findByRole('option', { name: 'Logout' }));
      },
    },
  };
}

it.each(['drawer', 'sheet', 'palette'] as const)('asks before it drops what is not saved: %s', async (place) => {
  const { user, note, question, logouts, logOut, address } = await open();
  await user.type(note, 'Call first');
  await logOut[place]();
  await user.click((await question()).getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(note).toBeInTheDocument();
  expect(note).toHaveValue('Call first');
  expect(address()).toBe('/deliveries');
  expect(logouts()).toBe(0);
  await user.keyboard('{Escape}');
  await logOut[place]();
  const asked = await question();
  expect(logouts()).toBe(0);
  await user.click(asked.getByRole('button', { name: 'Leave' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() => expect(address()).toBe('/login'));
  expect(logouts()).toBe(1);
});

it.each(['Logout', 'Customers'])('gives the focus back to the field after Stay, when %s was chosen in the palette', async (name) => {
  const { user, note, question } = await open();
  await user.type(note, 'Call first');
  await user.keyboard('{Control>}k{/Control}');
  await user.type(await screen.findByRole('combobox'), name);
  await user.click(await screen.findByRole('option', { name }));
  await user.click((await question()).getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(note).toHaveFocus());
  expect(note).toHaveValue('Call first');
});

it('stays when the question is closed by Escape', async () => {
  const { user, note, question, logouts, logOut } = await open();
  await user.type(note, 'Call first');
  await logOut.drawer();
  await question();
  await user.keyboard('{Escape}');
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(note).toHaveValue('Call first');
  expect(logouts()).toBe(0);
});

it('does not ask when nothing would be lost', async () => {
  const { user, note, logOut, address } = await open();
  await user.type(note, 'Call first');
  await user.clear(note);
  await logOut.drawer();
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() => expect(address()).toBe('/login'));
});

it('asks before it deletes the draft of a new delivery, and deletes it', async () => {
  const { user, router, question, logouts, logOut } = await open();
  const drafts = () => Object.keys(sessionStorage).filter((key) => key.startsWith('waybill.new-delivery.'));
  await act(() => router.navigate('/new-deliveries'));
  const phone = await screen.findByRole('textbox', { name: /^Contact phone/ });
  await user.type(phone, '0917');
  await logOut.drawer();
  const asked = await question();
  expect(asked.getByText('Signing out deletes your draft of a new delivery.')).toBeInTheDocument();
  await user.click(asked.getByRole('button', { name: 'Stay' }));
  await waitFor(() => expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument());
  expect(phone).toHaveValue('0917');
  expect(drafts()).toHaveLength(1);
  expect(logouts()).toBe(0);
  await logOut.drawer();
  await user.click((await question()).getByRole('button', { name: 'Leave' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(drafts()).toEqual([]);
  expect(logouts()).toBe(1);
});

it('does not ask about a draft that is empty', async () => {
  const { router, logOut, address } = await open();
  await act(() => router.navigate('/new-deliveries'));
  await screen.findByRole('button', { name: 'Create delivery' });
  await logOut.drawer();
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() => expect(address()).toBe('/login'));
});

const pending = () => screen.findByText(/^Your sign-out hasn't reached the server yet/);

it('is repeated until it has reached the server, also after a reload, and nobody is signed in before', async () => {
  let status = 503;
  const { server, logOut, logouts } = await open({ auth: { logout: () => ({ body: {}, status }) } });
  const tokens = () => server.calls.filter(({ name }) => name === 'GET getToken').length;
  await logOut.drawer();
  expect(await pending()).toBeInTheDocument();
  const before = tokens();
  cleanup();
  const { auth, address } = renderRoutes(declarations, '/deliveries');
  const note = await pending();
  expect(address()).toBe('/login?redirectTo=/deliveries');
  expect(auth.getState()).toMatchObject({ isAuthenticated: false, currentUser: null });
  expect(tokens()).toBe(before);
  status = 200;
  server.signOut();
  const sent = logouts();
  fireEvent(window, new Event('online'));
  await waitFor(() => expect(note).not.toBeInTheDocument());
  expect(logouts()).toBe(sent + 1);
});
