import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { driverAccount, listOf, resetLink } from '@/test/accounts';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './driver-reset-password-page';

let server: FakeServer;
let rows: object[];
let answer: () => Answer;

beforeEach(() => {
  rows = [
    driverAccount('rsantos', { displayName: 'Rico Santos', lastLoginAt: '2026-11-20T00:12:00Z' }),
    driverAccount('mlim', { status: 'invited', driverId: 'DRV-033' }),
    driverAccount('pabad', { status: 'disabled' }),
  ];
  answer = () => resetLink({ kind: 'pin' });
  server = startFakeServer({
    user: { ...rosa, roles: ['dispatcher'] },
    operations: {
      DriverAccountsPage: () => listOf('driverAccounts', rows),
      CreateResetLink: () => answer(),
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/driver-reset-password');
  await screen.findByRole('heading', { level: 1, name: 'Drivers Reset Password' });
  return view;
}

const link = (username: string) =>
  screen.findByRole('button', { name: `Create reset link for ${username}` });

it('shows the accounts of drivers and their access', async () => {
  const { user } = await open();
  expect(await screen.findByRole('row', { name: /rsantos/ })).toHaveTextContent(
    'Rico SantosDRV-014PermittedNov 20, 2026 8:12 AM',
  );
  expect(screen.getByRole('row', { name: /mlim/ })).toHaveTextContent('DRV-033No PIN yetNever');
  expect(screen.getByRole('link', { name: 'DRV-033' })).toHaveAttribute('href', '/drivers/DRV-033');
  expect(screen.getByRole('row', { name: /pabad/ })).toHaveTextContent('Blocked');
  expect(await link('pabad')).toBeDisabled();
  await expectAccessible();
  // Accounts have no page of their own, so the list shortcuts move between these buttons.
  await user.keyboard('j');
  expect(await link('rsantos')).toHaveFocus();
});

it('makes a link after a question that says what it does', async () => {
  const { user } = await open();
  await user.click(await link('mlim'));
  const question = await screen.findByRole('alertdialog', {
    name: 'Create a reset link for mlim?',
  });
  expect(question).toHaveAccessibleDescription(/sets a PIN of 6 to 12 digits/);
  await expectAccessible(question);
  await user.click(within(question).getByRole('button', { name: 'Create link' }));
  const box = await screen.findByRole('textbox', { name: 'Reset link' });
  expect(box).toHaveValue('http://localhost:3000/reset-password?resetToken=t0ken');
  expect(box).toHaveAccessibleDescription(
    'Asks for a new PIN of 6 to 12 digits. Works once, until Nov 21, 2026 3:04 PM.',
  );
  expect(server.calls.find(({ name }) => name === 'CreateResetLink')?.variables).toEqual({
    input: { userId: 'id-mlim' },
  });
});

it('makes none without an answer to the question', async () => {
  const { user } = await open();
  await user.click(await link('mlim'));
  await user.click(await screen.findByRole('button', { name: 'Cancel' }));
  expect(screen.queryByRole('alertdialog')).not.toBeInTheDocument();
  expect(server.calls.map(({ name }) => name)).not.toContain('CreateResetLink');
});

it('says that the links of the day are spent, and what to do', async () => {
  answer = () => ({
    errors: [
      {
        message: '20 links for drivers a day are the limit. Ask an admin, or try again in 3 hours.',
        extensions: { code: 'RATE_LIMITED', reason: 'RESET_LINKS_SPENT' },
      },
    ],
  });
  const { user } = await open();
  await user.click(await link('mlim'));
  const question = within(await screen.findByRole('alertdialog'));
  await user.click(question.getByRole('button', { name: 'Create link' }));
  expect(await question.findByRole('alert')).toHaveTextContent(/Ask an admin, or try again/);
});

it('is searched by username from the top bar', async () => {
  const { user, address } = await open();
  await user.type(screen.getByRole('textbox', { name: 'Username' }), 'lim{Enter}');
  await waitFor(() => {
    const call = server.calls.findLast(({ name }) => name === 'DriverAccountsPage');
    expect(call?.variables.where).toEqual([
      { key: 'username', operator: 'contains', values: ['lim'] },
    ]);
  });
  await user.click(screen.getByRole('button', { name: 'Close search' }));
  await waitFor(() => expect(address()).toBe('/driver-reset-password'));
});

it('says where accounts come from while there is none', async () => {
  rows = [];
  await open();
  await screen.findByRole('heading', { name: 'No driver accounts yet' });
  expect(screen.getByText(/Accounts appear here when drivers are added/)).toBeInTheDocument();
  await expectAccessible();
});
