import { screen, waitFor } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { type Answer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { authRoutes } from './routes';

const declarations: RouteEntry[] = [
  ...authRoutes,
  { name: 'home', path: '/', page: () => Promise.resolve({ default: () => <h1>Inside</h1> }) },
];

const created: Answer = {
  data: { createAdmin: { id: 'u1', username: 'rosa', email: 'rosa@habagat.example', roles: [] } },
};

async function open(address = '/auth/create-admin', needed = true, ...answers: Answer[]) {
  const server = startFakeServer({
    login: () => ({ user: rosa }),
    operations: {
      AdminNeeded: () => ({ data: { adminNeeded: { needed, setupTokenNeeded: needed } } }),
      CreateAdmin: () => answers.shift() ?? created,
    },
  });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { name: 'Create administrator' });
  await waitFor(() =>
    expect(screen.queryByRole('status', { name: 'Loading...' })).not.toBeInTheDocument(),
  );
  const sent = () => server.calls.findLast(({ name }) => name === 'CreateAdmin')?.variables;
  return { ...view, server, sent };
}

const field = (name: string) => screen.getByLabelText(name);
const submit = () => screen.getByRole('button', { name: 'Create administrator' });

it('creates the account with the token of the address, and signs it in', async () => {
  const { user, sent, address } = await open('/auth/create-admin?setupToken=t0ken&lng=en');
  expect(address()).toBe('/auth/create-admin?lng=en');
  await expectAccessible();
  expect(screen.queryByLabelText('Setup token')).not.toBeInTheDocument();
  await user.type(field('Username'), 'rosa');
  await user.type(field('Email'), 'rosa@habagat.example');
  await user.type(field('Password'), 'long enough{Enter}');
  await screen.findByRole('heading', { name: 'Inside' });
  expect(address()).toBe('/');
  expect(sent()).toEqual({
    input: {
      username: 'rosa',
      email: 'rosa@habagat.example',
      password: 'long enough',
      setupToken: 't0ken',
    },
  });
});

it('checks every field with the texts of the rules', async () => {
  const { user, sent } = await open();
  await user.click(submit());
  for (const name of ['Setup token', 'Username', 'Email', 'Password']) {
    expect(await screen.findByText(`${name} is required`)).toBeInTheDocument();
  }
  await user.type(field('Email'), 'rosa');
  await user.type(field('Password'), 'short');
  expect(await screen.findByText('Email is not formatted correctly')).toBeInTheDocument();
  expect(await screen.findByText('Password is too short')).toBeInTheDocument();
  await user.clear(field('Password'));
  await user.click(field('Password'));
  await user.paste('x'.repeat(129));
  expect(await screen.findByText('Password is too long')).toBeInTheDocument();
  expect(sent()).toBeUndefined();
  await expectAccessible();
});

it("puts the server's messages above the form and under their fields", async () => {
  const { user } = await open('/auth/create-admin', true, {
    errors: [
      {
        message: 'Bad input',
        extensions: {
          code: 'BAD_USER_INPUT',
          properties: { messages: { setupToken: ['Set-up token is too long'] } },
        },
      },
    ],
  });
  await user.type(field('Setup token'), 't0ken');
  await user.type(field('Username'), 'rosa');
  await user.type(field('Email'), 'rosa@habagat.example');
  await user.type(field('Password'), 'long enough{Enter}');
  const summary = await screen.findByText('Something went wrong');
  expect(summary.closest('[role=alert]')).toHaveTextContent(
    'Errors prevented this form from being saved',
  );
  expect(field('Setup token')).toHaveAccessibleDescription(/^Set-up token is too long/);
});

it('asks for the setup token when the one of the address is wrong', async () => {
  const text = 'The setup token is wrong.';
  const { user, sent } = await open('/auth/create-admin?setupToken=old', true, {
    errors: [
      {
        message: text,
        extensions: {
          code: 'FORBIDDEN',
          reason: 'SETUP_TOKEN_WRONG',
          properties: { messages: { setupToken: [text] } },
        },
      },
    ],
  });
  await user.type(field('Username'), 'rosa');
  await user.type(field('Email'), 'rosa@habagat.example');
  await user.type(field('Password'), 'long enough{Enter}');
  const token = await screen.findByLabelText('Setup token');
  expect(token).toHaveAccessibleDescription(/^The setup token is wrong\./);
  await user.clear(token);
  await user.type(token, 'n3w{Enter}');
  await screen.findByRole('heading', { name: 'Inside' });
  expect(sent()).toMatchObject({ input: { setupToken: 'n3w' } });
});

it('focuses the first field that the server found wrong', async () => {
  const { user } = await open('/auth/create-admin?setupToken=t0ken', true, {
    errors: [
      {
        message: 'Bad input',
        extensions: {
          code: 'BAD_USER_INPUT',
          properties: { messages: { password: ['Too common'], email: ['Email is reserved'] } },
        },
      },
    ],
  });
  await user.type(field('Username'), 'rosa');
  await user.type(field('Email'), 'rosa@habagat.example');
  await user.type(field('Password'), 'long enough{Enter}');
  await waitFor(() => expect(field('Email')).toHaveFocus());
  expect(field('Email')).toHaveAccessibleDescription('Email is reserved');
  expect(field('Password')).toHaveAccessibleDescription(/^Too common/);
});

it('leads to login when the new account could not be signed in at once', async () => {
  const server = startFakeServer({
    login: () => ({ error: 'Too busy. Try again.' }),
    operations: {
      AdminNeeded: () => ({ data: { adminNeeded: { needed: true, setupTokenNeeded: false } } }),
      CreateAdmin: () => created,
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
  const { user, address } = renderRoutes(declarations, '/auth/create-admin');
  await user.type(await screen.findByLabelText('Username'), 'rosa');
  await user.type(field('Email'), 'rosa@habagat.example');
  await user.type(field('Password'), 'long enough{Enter}');
  await screen.findByText('Too busy. Try again.');
  await screen.findByRole('heading', { name: 'Sign in' });
  expect(address()).toBe('/login');
  expect(server.calls.map(({ name }) => name)).toContain('CreateAdmin');
});

it('can be asked again when the server could not be', async () => {
  let isUp = false;
  startFakeServer({
    operations: {
      AdminNeeded: () =>
        isUp
          ? { data: { adminNeeded: { needed: true, setupTokenNeeded: false } } }
          : { errors: [{ message: 'auth is not available' }] },
    },
  });
  const { user } = renderRoutes(declarations, '/auth/create-admin');
  expect(await screen.findByText('auth is not available')).toBeInTheDocument();
  isUp = true;
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByLabelText('Username')).toBeInTheDocument();
});

it('leads to login when an account exists', async () => {
  await open('/auth/create-admin', false);
  expect(screen.getByText('An account already exists')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to sign-in' })).toHaveAttribute('href', '/login');
  expect(screen.queryByLabelText('Username')).not.toBeInTheDocument();
  await expectAccessible();
});
