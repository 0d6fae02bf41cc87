import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { type Answer, type AuthAnswer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { authRoutes } from './routes';

interface Setting {
  policy?: 'off' | 'pending';
  user?: Record<string, unknown> | null;
  signup?: () => AuthAnswer;
}

const made: AuthAnswer = { body: { message: 'If this username was available, your account was created.' }, status: 201 };

async function open({ policy = 'pending', user = null, signup = () => made }: Setting = {}) {
  const server = startFakeServer({
    user,
    auth: { signup },
    operations: { SignUpPolicy: () => ({ data: { signUpPolicy: policy } }) },
  });
  const view = renderRoutes(authRoutes, '/admin/auth/register');
  await screen.findByRole('heading', { name: 'Sign up' });
  await screen.findByText(policy === 'off' ? 'Sign-up is off' : 'Sign-up is open');
  const sent = () => server.calls.filter(({ name }) => name === 'POST signup');
  return { ...view, sent };
}

const field = (name: string) => screen.getByLabelText(name);
const submit = () => screen.getByRole('button', { name: 'Sign up' });

async function fill(user: Awaited<ReturnType<typeof open>>['user']) {
  await user.type(field('Username'), 'carlo');
  await user.type(field('Email'), 'carlo@hlg.example');
  await user.type(field('Password'), 'long enough');
  await user.type(field('Repeat password'), 'long enough{Enter}');
}

describe('where sign-up is open', () => {
  it('sends the account, and keeps on the page what the server said', async () => {
    const { user, sent } = await open();
    await expectAccessible();
    expect(field('Username')).toHaveAttribute('autocomplete', 'username');
    expect(field('Email')).toHaveAttribute('autocomplete', 'email');
    expect(field('Password')).toHaveAttribute('autocomplete', 'new-password');
    expect(field('Repeat password')).toHaveAttribute('autocomplete', 'new-password');
    await fill(user);
    await waitFor(() =>
      expect(screen.getAllByText('If this username was available, your account was created.')).toHaveLength(2),
    );
    expect(sent().map(({ variables }) => variables)).toEqual([
      {
        username: 'carlo',
        email: 'carlo@hlg.example',
        password: 'long enough',
        method: 'signup',
      },
    ]);
    expect(screen.queryByLabelText('Username')).not.toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to sign-in' })).toHaveAttribute('href', '/login');
    await expectAccessible();
  });

  it('checks every field with the texts of the rules', async () => {
    const { user, sent } = await open();
    await user.click(submit());
    for (const name of ['Username', 'Email', 'Password', 'Repeat password']) {
      expect(await screen.findByText(`${name} is required`)).toBeInTheDocument();
    }
    expect(field('Username')).toHaveFocus();
    await user.type(field('Email'), 'carlo');
    expect(await screen.findByText('Email is not formatted correctly')).toBeInTheDocument();
    await user.type(field('Password'), 'long enough');
    await user.type(field('Repeat password'), 'long');
    expect(
      await screen.findByText("The passwords don't match. Enter the same password in both fields."),
    ).toBeInTheDocument();
    expect(sent()).toEqual([]);
    await expectAccessible();
  });

  it("puts the server's messages above the form and under their fields", async () => {
    const { user } = await open({
      signup: () => ({
        body: {
          error: 'Username must have 1 to 64 characters. Password is too common',
          code: 'BAD_USER_INPUT',
          fields: {
            password: ['Password is too common'],
            username: ['Username must have 1 to 64 characters'],
          },
        },
        status: 400,
      }),
    });
    await fill(user);
    await waitFor(() => expect(field('Username')).toHaveFocus());
    expect(field('Username')).toHaveAccessibleDescription('Username must have 1 to 64 characters');
    expect(field('Password')).toHaveAccessibleDescription(/Password is too common/);
    expect(screen.getByText('Errors prevented this form from being saved')).toBeInTheDocument();
    await expectAccessible();
  });

  it('shows a refusal that is about no field, and keeps what was typed', async () => {
    const { user } = await open({
      signup: () => ({ body: { error: 'Signup flow is not enabled' }, status: 400 }),
    });
    await fill(user);
    await waitFor(() =>
      expect(screen.getAllByText('Signup flow is not enabled')).toHaveLength(2),
    );
    expect(field('Username')).toHaveValue('carlo');
  });
});

it('says that sign-up is off, and where to go', async () => {
  await open({ policy: 'off' });
  expect(screen.queryByLabelText('Username')).not.toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to sign-in' })).toHaveAttribute('href', '/login');
  await expectAccessible();
});

describe('for whoever is signed in', () => {
  it('an administrator is led to creating a user', async () => {
    await open({ policy: 'off', user: rosa });
    expect(await screen.findByText("You're signed in as rosa")).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Create new user' })).toHaveAttribute(
      'href',
      '/admin/settings/users/create-new-user',
    );
    await expectAccessible();
  });

  it('others are led to their own account', async () => {
    await open({ user: { ...rosa, username: 'carlo', roles: [] } });
    expect(await screen.findByText("You're signed in as carlo")).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute(
      'href',
      '/account',
    );
    expect(screen.queryByRole('link', { name: 'Create new user' })).not.toBeInTheDocument();
    expect(screen.queryByLabelText('Username')).not.toBeInTheDocument();
  });
});

it('can be asked again when the rule could not be read', async () => {
  const answers: Answer[] = [
    { errors: [{ message: 'auth is not available' }] },
    { data: { signUpPolicy: 'off' } },
  ];
  startFakeServer({
    operations: { SignUpPolicy: () => answers.shift() ?? { errors: [] } },
  });
  const { user } = renderRoutes(authRoutes, '/admin/auth/register');
  expect(await screen.findByText('auth is not available')).toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('Sign-up is off')).toBeInTheDocument();
});
