import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { listOf, resetLink, userAccount } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './user-reset-password-page';

let server: FakeServer;
let rows: object[];

beforeEach(() => {
  rows = [userAccount('lara'), userAccount('rey', { status: 'disabled' })];
  server = startFakeServer({
    user: rosa,
    operations: {
      UsersPage: () => listOf('users', rows),
      CreateResetLink: () => resetLink(),
    },
  });
});

async function open(address = '/user-reset-password') {
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { level: 1, name: 'User Reset Password' });
  await screen.findByRole('status', { name: '' });
  return view;
}

const where = () => {
  const call = server.calls.findLast(({ name }) => name === 'UsersPage');
  return (call?.variables.page as { where: unknown } | undefined)?.where;
};
const link = (username: string) =>
  screen.findByRole('button', { name: `Create reset link for ${username}` });

it('makes a link for a user, and shows it once', async () => {
  const { user } = await open();
  await user.click(await link('lara'));
  const question = await screen.findByRole('alertdialog', {
    name: 'Create a reset link for lara?',
  });
  await user.click(within(question).getByRole('button', { name: 'Create link' }));
  const box = await screen.findByRole('textbox', { name: 'Reset link' });
  expect(box).toHaveValue('http://localhost:3000/reset-password?resetToken=t0ken');
  await expectAccessible(screen.getByRole('dialog', { name: 'Reset link for lara' }));
  // A click outside must not close the dialog: the link would be lost.
  await user.setup({ pointerEventsCheck: 0 }).click(document.body);
  expect(box).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Done' }));
  expect(screen.queryByRole('textbox', { name: 'Reset link' })).not.toBeInTheDocument();
  expect(await link('lara')).toHaveFocus();
  expect(document.body.textContent).not.toContain('t0ken');
});

it('has none for a disabled user', async () => {
  await open();
  expect(await link('rey')).toBeDisabled();
  await expectAccessible();
});

it('finds by username while one types, and shows the way back', async () => {
  const { user, address } = await open();
  const box = screen.getByRole('textbox', { name: 'Find by Username' });
  await user.type(box, 'lar');
  await waitFor(() =>
    expect(where()).toEqual([{ key: 'username', operator: 'contains', values: ['lar'] }]),
  );
  expect(box).toHaveValue('lar');
  await user.click(screen.getByRole('button', { name: /Remove filter: Username contains lar/ }));
  expect(box).toHaveValue('');
  await waitFor(() => expect(address()).toBe('/user-reset-password'));
  await user.type(box, 'x');
  await waitFor(() => expect(address()).toContain('filters='));
  await user.click(screen.getByRole('button', { name: 'Clear the search' }));
  expect(box).toHaveFocus();
  await waitFor(() => expect(address()).toBe('/user-reset-password'));
});
