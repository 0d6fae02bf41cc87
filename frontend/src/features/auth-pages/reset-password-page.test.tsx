import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { type AuthAnswer, type FakeServerOptions, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import type { RouteEntry } from '@/routing/declarations';
import { authRoutes } from './routes';

type Auth = FakeServerOptions['auth'];

const declarations: RouteEntry[] = [
  ...authRoutes,
  { name: 'home', path: '/', page: () => Promise.resolve({ default: () => <h1>Inside</h1> }) },
];
const refused = (error: string, code = 'BAD_USER_INPUT', status = 400): AuthAnswer => ({
  body: { error, code },
  status,
});

async function open(auth: Auth, address = '/reset-password?resetToken=s3cret', user = null) {
  const server = startFakeServer({
    user,
    auth: { validateResetToken: () => ({ body: { kind: 'password' } }), ...auth },
  });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { name: /^Reset/ });
  const sent = (method: string) =>
    server.calls.filter(({ name }) => name === `POST ${method}`).map(({ variables }) => variables);
  return { ...view, server, sent };
}

const field = (name: string) => screen.findByLabelText(name);

describe('the token', () => {
  it('is taken out of the address, and of nothing else in it', async () => {
    const { address, sent, router } = await open({}, '/reset-password?lng=en&resetToken=s3cret');
    await field('New password');
    expect(address()).toBe('/reset-password?lng=en');
    expect(router.state.historyAction).toBe('REPLACE');
    expect(document.body.innerHTML).not.toContain('s3cret');
    expect(sent('validateResetToken')).toEqual([
      { resetToken: 's3cret', method: 'validateResetToken' },
    ]);
  });

  it('is looked at before anything can be typed', async () => {
    let answer: (reply: AuthAnswer) => void = () => undefined;
    await open({ validateResetToken: () => new Promise((resolve) => (answer = resolve)) });
    expect(screen.getByRole('status', { name: 'Loading...' })).toBeInTheDocument();
    expect(screen.queryByLabelText('New password')).not.toBeInTheDocument();
    await expectAccessible();
    answer({ body: { kind: 'password' } });
    expect(await field('New password')).toHaveFocus();
  });

  it('that is missing is not asked about', async () => {
    const { sent } = await open({}, '/reset-password');
    expect(await screen.findByText("This link isn't complete")).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Request a new link' })).toHaveAttribute(
      'href',
      '/forgot-password',
    );
    expect(sent('validateResetToken')).toEqual([]);
    await expectAccessible();
  });

  it('that is dead shows why, and the next step', async () => {
    await open({ validateResetToken: () => refused('resetToken is expired') });
    expect(await screen.findByText("This link doesn't work")).toBeInTheDocument();
    expect(screen.getByText('The link has expired.')).toBeInTheDocument();
    expect(screen.queryByText(/resetToken/)).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Request a new link' })).toHaveAttribute(
      'href',
      '/forgot-password',
    );
    expect(screen.queryByLabelText('New password')).not.toBeInTheDocument();
    await expectAccessible();
  });

  it('that is refused in other words is shown those', async () => {
    await open({ validateResetToken: () => refused('Reset password flow is not enabled') });
    expect(await screen.findByText('Reset password flow is not enabled')).toBeInTheDocument();
  });

  it('that could not be looked at can be looked at again', async () => {
    const answers = [refused('Try again soon.', 'UNAVAILABLE', 503)];
    const { user } = await open({
      validateResetToken: () => answers.shift() ?? { body: { kind: 'password' } },
    });
    expect(await screen.findAllByText('Try again soon.')).toHaveLength(2);
    expect(screen.queryByText("This link doesn't work")).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Retry' }));
    expect(await field('New password')).toBeInTheDocument();
  });
});

describe('a new password', () => {
  it('is set, and leads to login', async () => {
    const { user, sent, address } = await open({ resetPassword: () => ({ body: {} }) });
    const first = await field('New password');
    expect(first).toHaveAttribute('autocomplete', 'new-password');
    expect(first).toHaveAccessibleDescription('8 to 128 characters');
    await expectAccessible();
    await user.type(first, 'long enough');
    await user.type(await field('Repeat new password'), 'long enough{Enter}');
    await screen.findByText('Password changed. Sign in with the new one.');
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(address()).toBe('/login');
    expect(sent('resetPassword')).toEqual([
      { resetToken: 's3cret', password: 'long enough', method: 'resetPassword' },
    ]);
  });

  it('is checked with the texts of the rules', async () => {
    const { user, sent } = await open({});
    await field('New password');
    await user.click(screen.getByRole('button', { name: 'Save password' }));
    expect(await screen.findByText('New password is required')).toBeInTheDocument();
    expect(screen.getByText('Repeat new password is required')).toBeInTheDocument();
    expect(await field('New password')).toHaveFocus();
    await user.type(await field('New password'), 'short');
    expect(await screen.findByText('New password is too short')).toBeInTheDocument();
    await user.type(await field('New password'), ' no more');
    await user.type(await field('Repeat new password'), 'another');
    expect(
      await screen.findByText("The passwords don't match. Enter the same password in both fields."),
    ).toBeInTheDocument();
    await user.clear(await field('New password'));
    await user.click(await field('New password'));
    await user.paste('é'.repeat(129));
    expect(await screen.findByText('New password is too long')).toBeInTheDocument();
    expect(sent('resetPassword')).toEqual([]);
    await expectAccessible();
  });

  it('can be shown, each of the two by itself', async () => {
    const { user } = await open({});
    await user.type(await field('New password'), 'long enough');
    await user.click(screen.getByRole('button', { name: 'Show new password' }));
    expect(await field('New password')).toHaveAttribute('type', 'text');
    expect(await field('Repeat new password')).toHaveAttribute('type', 'password');
    await user.click(screen.getByRole('button', { name: 'Hide new password' }));
    expect(await field('New password')).toHaveAttribute('type', 'password');
  });

  it('that the server refuses says so at its field, and the link lives on', async () => {
    const text = 'This password is too common. Choose another one';
    const { user, sent } = await open({
      resetPassword: () => ({
        body: { error: text, code: 'BAD_USER_INPUT', fields: { password: [text] } },
        status: 400,
      }),
    });
    await user.type(await field('New password'), 'password1');
    await user.type(await field('Repeat new password'), 'password1{Enter}');
    await waitFor(async () => expect(await field('New password')).toHaveFocus());
    expect(await field('New password')).toHaveAccessibleDescription(`${text} 8 to 128 characters`);
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    expect(await field('Repeat new password')).toHaveValue('password1');
    expect(sent('validateResetToken')).toHaveLength(1);
  });

  it('comes too late when the link died meanwhile', async () => {
    const looks = [{ body: { kind: 'password' } }, refused('resetToken is invalid')];
    const { user } = await open({
      validateResetToken: () => looks.shift() ?? refused('resetToken is invalid'),
      resetPassword: () => refused('resetToken is invalid'),
    });
    await user.type(await field('New password'), 'long enough');
    await user.type(await field('Repeat new password'), 'long enough{Enter}');
    expect(await screen.findByText("This link doesn't work")).toBeInTheDocument();
    expect(screen.queryByLabelText('New password')).not.toBeInTheDocument();
  });

  it('can be sent again when the server was not there', async () => {
    const answers = [refused('Try again soon.', 'UNAVAILABLE', 503), { body: {} }];
    const { user } = await open({ resetPassword: () => answers.shift() ?? { body: {} } });
    await user.type(await field('New password'), 'long enough');
    await user.type(await field('Repeat new password'), 'long enough{Enter}');
    expect(await screen.findAllByText('Try again soon.')).toHaveLength(2);
    await user.click(screen.getByRole('button', { name: 'Save password' }));
    expect(await screen.findByRole('heading', { name: 'Sign in' })).toBeInTheDocument();
    expect(screen.queryByText('Try again soon.')).not.toBeInTheDocument();
  });

  it('of the account that is signed in here leads to login, not back inside', async () => {
    const { user, server, address } = await open(
      {
        resetPassword: () => {
          server.signOut();
          return { body: {} };
        },
      },
      '/reset-password?resetToken=s3cret',
      rosa as never,
    );
    await user.type(await field('New password'), 'long enough');
    await user.type(await field('Repeat new password'), 'long enough{Enter}');
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(address()).toBe('/login');
  });
});

describe('a new PIN', () => {
  const pin: Auth = {
    validateResetToken: () => ({ body: { kind: 'pin' } }),
    resetPassword: () => ({ body: {} }),
  };

  it('takes digits only, by keys and by paste', async () => {
    const { user, sent } = await open(pin);
    const first = await field('New PIN');
    expect(screen.getByRole('heading', { level: 1, name: 'Reset PIN' })).toBeInTheDocument();
    expect(document.title).toBe('Reset PIN | Waybill');
    expect(first).toHaveAttribute('inputmode', 'numeric');
    expect(first).toHaveAttribute('autocomplete', 'new-password');
    expect(first).toHaveAttribute('type', 'password');
    await expectAccessible();
    await user.type(first, '48a1-5b');
    expect(first).toHaveValue('4815');
    await user.click(await field('Repeat new PIN'));
    await user.paste('48 15 16');
    expect(await field('Repeat new PIN')).toHaveValue('481516');
    expect(screen.getAllByText('Digits only. Other characters were removed.')).not.toHaveLength(0);
    await user.type(first, '16');
    await user.type(await field('Repeat new PIN'), '{Enter}');
    await screen.findByText('PIN changed. Sign in to the driver app with the new one.');
    await screen.findByRole('heading', { name: 'Sign in' });
    expect(sent('resetPassword')).toEqual([
      { resetToken: 's3cret', password: '481516', method: 'resetPassword' },
    ]);
  });

  it('has 6 to 12 digits, twice the same', async () => {
    const { user, sent } = await open(pin);
    await field('New PIN');
    await user.click(screen.getByRole('button', { name: 'Save PIN' }));
    expect(await screen.findByText('New PIN is required')).toBeInTheDocument();
    await user.type(await field('New PIN'), '48151');
    expect(await screen.findByText('New PIN is too short')).toBeInTheDocument();
    await user.type(await field('New PIN'), '62342108');
    expect(await screen.findByText('New PIN is too long')).toBeInTheDocument();
    await user.type(await field('New PIN'), '{Backspace}');
    await user.type(await field('Repeat new PIN'), '481516');
    expect(
      await screen.findByText("The PINs don't match. Enter the same PIN in both fields."),
    ).toBeInTheDocument();
    expect(sent('resetPassword')).toEqual([]);
    await expectAccessible();
  });

  it('can be shown', async () => {
    const { user } = await open(pin);
    await user.type(await field('New PIN'), '481516');
    await user.click(screen.getByRole('button', { name: 'Show new PIN' }));
    expect(await field('New PIN')).toHaveAttribute('type', 'text');
    expect(await field('New PIN')).toHaveValue('481516');
  });
});
