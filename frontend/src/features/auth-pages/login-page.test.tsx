import { act, screen, within } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { afterEach, describe, expect, it, vi } from 'vitest';
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

function signInOptions(needed: boolean, signUpPolicy = 'off'): FakeServerOptions['operations'] {
  return {
    SignInOptions: () => ({ data: { adminNeeded: { needed }, signUpPolicy } }),
  };
}

afterEach(() => {
  vi.useRealTimers();
});

async function open(address: string, options: FakeServerOptions = {}) {
  const server = startFakeServer({ login, operations: signInOptions(false), ...options });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { name: 'Sign in' });
  return { ...view, server };
}

const username = () => screen.getByRole('textbox', { name: 'Username' });
const password = () => screen.getByLabelText('Password');
const button = () => screen.getByRole('button', { name: 'Sign in' });

it('is accessible and open to password managers', async () => {
  await open('/login');
  await expectAccessible();
  expect(document.title).toBe('Sign in | Waybill');
  expect(username()).toHaveAttribute('autocomplete', 'username');
  expect(password()).toHaveAttribute('autocomplete', 'current-password');
  expect(screen.getByText('v1.0.30')).toBeInTheDocument();
});

describe('at the top', () => {
  const logo = (answer: unknown) => ({ paths: { '/logo': () => Response.json(answer) } });

  it('shows the logo of the office', async () => {
    await open('/login', logo({ logo: { url: '/logo/0a.png', size: 116, gap: 8, vertical: -3 } }));
    const shown = await screen.findByRole('img', { name: 'Organization logo' });
    expect(shown).toHaveAttribute('src', '/logo/0a.png');
    expect(shown).toHaveStyle({ width: '116px' });
    await expectAccessible();
  });

  it.each([
    ['none', { logo: null }],
    ['one of another place', { logo: { url: 'https://elsewhere.example/a.png' } }],
  ])('has the mark of the product where there is %s', async (_, answer) => {
    await open('/login', logo(answer));
    expect(await within(screen.getByRole('banner')).findByText('Waybill')).toBeInTheDocument();
    expect(screen.queryByRole('img', { name: 'Organization logo' })).not.toBeInTheDocument();
  });
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
  await expectAccessible();
});

it('takes the toast of a refusal away with the next success', async () => {
  const { user } = await open('/login');
  await user.type(username(), 'rosa');
  await user.type(password(), 'wrong{Enter}');
  await screen.findAllByText('Username or password is wrong');
  await user.clear(password());
  await user.type(password(), 'right{Enter}');
  await screen.findByRole('heading', { name: 'Inside' });
  expect(screen.queryByText('Username or password is wrong')).not.toBeInTheDocument();
});

it('says when to try again after too many attempts', async () => {
  const text = 'Too many attempts. Try again in 8 seconds.';
  const refusal = { body: { error: text, code: 'RATE_LIMITED' }, status: 429 };
  const { user } = await open('/login', { auth: { login: () => refusal } });
  await user.type(username(), 'rosa');
  await user.type(password(), 'wrong{Enter}');
  const [note, toasted] = await screen.findAllByText(text);
  expect(note?.closest('[role=alert]')).toHaveClass('text-warn');
  expect(toasted).toBeInTheDocument();
  expect(button()).toBeEnabled();
});

it('shows news of the server as a plain toast', async () => {
  const news = { body: { message: 'The office is closed today.' } };
  const { user } = await open('/login', { auth: { login: () => news } });
  await user.type(username(), 'rosa');
  await user.type(password(), 'right{Enter}');
  expect(await screen.findByText('The office is closed today.')).toBeInTheDocument();
  expect(screen.queryByRole('alert', { name: /closed/ })).not.toBeInTheDocument();
});

it('sends once what is sent twice, and says that it is busy', async () => {
  let answer: (reply: { body: unknown }) => void = () => undefined;
  const { user, server } = await open('/login', {
    auth: { login: () => new Promise((resolve) => (answer = resolve)) },
  });
  await user.type(username(), 'rosa');
  await user.type(password(), 'right{Enter}{Enter}');
  const busy = await screen.findByRole('button', { name: 'Signing in...' });
  expect(password()).toHaveFocus();
  expect(busy).toBeDisabled();
  await user.click(busy);
  expect(server.calls.filter(({ name }) => name === 'POST login')).toHaveLength(1);
  answer({ body: { error: 'No' } });
  expect(await screen.findByRole('button', { name: 'Sign in' })).toBeInTheDocument();
});

it('leads to a new password by keyboard after, not before, the password', async () => {
  const { user } = await open('/login');
  await user.click(username());
  await user.tab();
  expect(password()).toHaveFocus();
  await user.tab();
  await user.tab();
  const link = screen.getByRole('link', { name: 'Forgot password?' });
  expect(link).toHaveFocus();
  expect(link).toHaveAttribute('href', '/forgot-password');
});

describe('the way to an account', () => {
  it('is the administrator while sign-up is off', async () => {
    await open('/login');
    expect(screen.getByText('Need an account? Ask an administrator in your office.')).toBeVisible();
    expect(screen.queryByRole('link', { name: 'Sign up' })).not.toBeInTheDocument();
  });

  it('is signing up where that is open', async () => {
    await open('/login', { operations: signInOptions(false, 'pending') });
    expect(await screen.findByRole('link', { name: 'Sign up' })).toHaveAttribute(
      'href',
      '/admin/auth/register',
    );
  });
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

it.each([
  ['An error has occurred', 'the network is lost', () => Promise.reject(new TypeError('Failed to fetch'))],
  ['An error has occurred', 'the response is not JSON', () => new Response('<h1>Sign in to the Wi-Fi</h1>')],
  [
    'Could not fetch current user: Bad Gateway (502)',
    'the server is down',
    () => new Response('', { status: 502, statusText: 'Bad Gateway' }),
  ],
])('shows %j when the current user is loaded and %s', async (text, _, answer) => {
  await open('/login', { user: rosa, paths: { '/graphql': answer } });
  expect((await screen.findByText(text)).closest('[role=alert]')).toBeVisible();
});

it('says why nobody is signed in while the server does not know the organization yet', async () => {
  await open('/login', { user: { ...rosa, organization: undefined } });
  expect(await screen.findByText(/^Your organization's settings can't be loaded right now/)).toBeVisible();
});

describe('while it is not known who is signed in', () => {
  const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));
  const down = () => new Response('', { status: 502, statusText: 'Bad Gateway' });
  const unchecked = () =>
    Response.json({ errors: [{ message: 'Sign-in is not available right now. Try again in a moment.' }] });

  async function openDuringOutage(options: FakeServerOptions = {}, answer = down) {
    vi.useFakeTimers({ shouldAdvanceTime: true });
    const paths = { '/graphql': answer };
    const view = await open('/login?redirectTo=/deliveries', { user: rosa, paths, ...options });
    const form = within(username().closest('form') as HTMLElement);
    await form.findByRole('alert');
    const asked = () => view.server.calls.filter(({ name }) => name === '/graphql').length;
    return { ...view, form, paths, asked };
  }

  it.each([
    ['the server is down', down],
    ['the server cannot check the token', unchecked],
  ])('asks again until it is known, then goes on: %s', async (_, answer) => {
    const { form, paths, address } = await openDuringOutage({}, answer);
    await pass(15_000);
    expect(form.getByRole('alert')).toBeInTheDocument();
    expect(address()).toBe('/login?redirectTo=/deliveries');
    Object.assign(paths, { '/graphql': undefined });
    await pass(5000);
    await screen.findByRole('heading', { name: 'Inside' });
    expect(address()).toBe('/deliveries');
  });

  it('does not ask while a sign-in is sent', async () => {
    const { asked } = await openDuringOutage({ auth: { login: () => new Promise(() => undefined) } });
    const user = userEvent.setup({ advanceTimers: (milliseconds) => vi.advanceTimersByTime(milliseconds) });
    await user.type(username(), 'rosa');
    await user.type(password(), 'right{Enter}');
    await screen.findByRole('button', { name: 'Signing in...' });
    // By then, what the page itself has asked for has failed.
    await pass(2000);
    const before = asked();
    await pass(20_000);
    expect(asked()).toBe(before);
  });
});

it('shows the way to the first account while there is none', async () => {
  await open('/login', { operations: signInOptions(true) });
  expect(
    await screen.findByRole('link', { name: 'Create the first administrator' }),
  ).toHaveAttribute('href', '/auth/create-admin');
});
