import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { type AuthAnswer, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { authRoutes } from './routes';

type Forgot = () => AuthAnswer | Promise<AuthAnswer>;

async function open(forgotPassword: Forgot = () => ({ body: {} }), sendsMail = true) {
  const server = startFakeServer({
    auth: { forgotPassword },
    operations: { SendsMail: () => ({ data: { sendsMail } }) },
  });
  const view = renderRoutes(authRoutes, '/forgot-password');
  await screen.findByRole('heading', { name: 'Forgot password' });
  if (sendsMail) await screen.findByRole('button', { name: 'Send link' });
  const sent = () => server.calls.filter(({ name }) => name === 'POST forgotPassword');
  return { ...view, sent };
}

const username = () => screen.getByRole('textbox', { name: 'Username' });
const after =
  "If this account exists and has an email address, we've sent a link to choose a new password. The email says how long the link works.";

it('sends the name, and says the same whoever it belongs to', async () => {
  const { user, sent } = await open();
  expect(username()).toHaveAttribute('autocomplete', 'username');
  await expectAccessible();
  await user.type(username(), 'nobody{Enter}');
  const text = await screen.findByText(after);
  expect(sent().map(({ variables }) => variables)).toEqual([
    { username: 'nobody', method: 'forgotPassword' },
  ]);
  expect(text.closest('[role=status]')).toHaveFocus();
  expect(screen.getByText("Didn't get an email? Ask an administrator for a reset link.")).toBeVisible();
  expect(screen.getByRole('link', { name: 'Go to sign-in' })).toHaveAttribute('href', '/login');
  expect(screen.queryByText(/nobody/)).not.toBeInTheDocument();
  await expectAccessible();
});

it('says it also when the server has news', async () => {
  const { user } = await open(() => ({ body: { message: 'Mail is slow today.' } }));
  await user.type(username(), 'rosa{Enter}');
  expect(await screen.findByText('Mail is slow today.')).toBeInTheDocument();
  expect(screen.getByText(after)).toBeInTheDocument();
});

it('wants a name', async () => {
  const { user, sent } = await open();
  await user.click(screen.getByRole('button', { name: 'Send link' }));
  expect(await screen.findByText('Username is required')).toBeInTheDocument();
  expect(username()).toHaveFocus();
  expect(sent()).toEqual([]);
});

it('keeps the form when the server refuses, and the next attempt counts', async () => {
  const answers: AuthAnswer[] = [
    { body: { error: 'Too many requests. Try again in a minute.' }, status: 429 },
    { body: {} },
  ];
  const { user } = await open(() => answers.shift() ?? { body: {} });
  await user.type(username(), 'rosa{Enter}');
  expect(await screen.findAllByText('Too many requests. Try again in a minute.')).toHaveLength(2);
  expect(username()).toHaveValue('rosa');
  await user.click(screen.getByRole('button', { name: 'Send link' }));
  expect(await screen.findByText(after)).toBeInTheDocument();
  await waitFor(() => expect(screen.queryByText(/Too many/)).not.toBeInTheDocument());
});

it('says that the server could not be reached', async () => {
  const { user } = await open(() => Promise.reject(new TypeError('failed')));
  await user.type(username(), 'rosa{Enter}');
  expect(await screen.findAllByText('An error has occurred')).toHaveLength(2);
});

it('promises no mail where none is sent', async () => {
  await open(undefined, false);
  const note = await screen.findByText("Email isn't set up for this organization. Ask an administrator for a reset link.");
  expect(note.closest('[role=status]')).toBeInTheDocument();
  expect(screen.queryByRole('textbox')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to sign-in' })).toHaveAttribute('href', '/login');
  await expectAccessible();
});
