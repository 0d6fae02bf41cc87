import { screen, waitFor, within } from '@testing-library/react';
import { useState } from 'react';
import { expect, it } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import { UnsavedGuard } from '@/form/page-form';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { Shell } from './shell';
// Loaded up front, so that no test waits for a lazy import.
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
    ],
  },
];

async function open() {
  const server = startFakeServer({
    user: rosa,
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
  const view = renderRoutes(declarations, '/deliveries');
  const { user } = view;
  const note = await screen.findByRole('textbox', { name: 'Note' });
  return {
    ...view,
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
