import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { RouteEntry } from '@/routing/declarations';
import { expectAccessible } from '@/test/axe';
import { type FakeServerOptions, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { authRoutes } from './routes';

const target = () => Promise.resolve({ default: () => <h1>Inside</h1> });
const declarations: RouteEntry[] = [
  ...authRoutes,
  { name: 'home', path: '/', page: target },
  { name: 'deliveries', path: '/deliveries', page: target },
];

const login: FakeServerOptions['login'] = ({ password }) =>
  password === 'right' ? { user: rosa } : { error: 'Username or password is wrong' };

function adminNeeded(needed: boolean): FakeServerOptions['operations'] {
  return {
    AdminNeeded: () => ({ data: { adminNeeded: { needed, setupTokenNeeded: true } } }),
  };
}

async function open(address: string, options: FakeServerOptions = {}) {
  const server = startFakeServer({ login, operations: adminNeeded(false), ...options });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { name: 'Login' });
  return { ...view, server };
}

const username = () => screen.getByRole('textbox', { name: 'Username' });
const password = () => screen.getByLabelText('Password');
const button = () => screen.getByRole('button', { name: 'Login' });

it('is accessible and open to password managers', async () => {
  await open('/login');
  await expectAccessible();
  expect(document.title).toBe('Login | Waybill');
  expect(username()).toHaveAttribute('autocomplete', 'username');
  expect(password()).toHaveAttribute('autocomplete', 'current-password');
  expect(screen.getByText('v1.0.30')).toBeInTheDocument();
});

it('wants both fields', async () => {
  const { user, server } = await open('/login');
  await user.click(button());
  expect(await screen.findByText('Username is required')).toBeInTheDocument();
  expect(screen.getByText('Password is required')).toBeInTheDocument();
  expect(username()).toHaveFocus();
  expect(server.calls.map(({ name }) => name)).not.toContain('POST login');
  await expectAccessible();
});

it('shows and hides the password', async () => {
  const { user } = await open('/login');
  await user.type(password(), 'secret');
  expect(password()).toHaveAttribute('type', 'password');
  await user.click(screen.getByRole('button', { name: 'Show password' }));
  expect(password()).toHaveAttribute('type', 'text');
  await user.click(screen.getByRole('button', { name: 'Hide password' }));
  expect(password()).toHaveAttribute('type', 'password');
});

it('says what the server refused, in a toast and on the page', async () => {
  const { user } = await open('/login');
  await user.type(username(), 'rosa');
  await user.type(password(), 'wrong{Enter}');
  expect(await screen.findAllByText('Username or password is wrong')).toHaveLength(2);
  expect(password()).toHaveValue('wrong');
});

describe('after signing in', () => {
  it.each([
    ['/login', '/'],
    ['/login?redirectTo=/deliveries%3Flimit%3D10', '/deliveries?limit=10'],
    ['/login?redirectTo=//evil.example', '/'],
    ['/login?redirectTo=https://evil.example', '/'],
  ])('%s leads to %s', async (address, wanted) => {
    const { user, address: current } = await open(address);
    await user.type(username(), 'rosa');
    await user.type(password(), 'right{Enter}');
    await screen.findByRole('heading', { name: 'Inside' });
    expect(current()).toBe(wanted);
  });
});

it('sends on whoever is signed in already', async () => {
  startFakeServer({ user: rosa });
  const { address } = renderRoutes(declarations, '/login?redirectTo=/deliveries');
  await screen.findByRole('heading', { name: 'Inside' });
  expect(address()).toBe('/deliveries');
});

it('shows the way to the first account while there is none', async () => {
  await open('/login', { operations: adminNeeded(true) });
  expect(
    await screen.findByRole('link', { name: 'Create the first administrator' }),
  ).toHaveAttribute('href', '/auth/create-admin');
});
