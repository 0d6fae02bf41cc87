import { screen, waitFor, within } from '@testing-library/react';
import { expect, it } from 'vitest';
import { OFFICE_ROLES } from '@/auth/roles';
import { accountRoutes } from '@/features/account/routes';
import { authRoutes } from '@/features/auth-pages/routes';
import type { RouteEntry } from '@/routing/declarations';
import { routePaths } from '@/routing/route-paths';
import { Shell } from '@/shell/shell';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { forbiddenRoutes } from './routes';

const page = () => Promise.resolve({ default: () => <p>Content</p> });
const declarations: RouteEntry[] = [
  ...authRoutes,
  {
    unauthenticated: 'login',
    wrap: Shell,
    routes: [
      ...forbiddenRoutes,
      ...accountRoutes,
      {
        unauthenticated: 'forbidden',
        roles: OFFICE_ROLES,
        routes: [{ name: 'deliveries', path: routePaths.deliveries, page }],
      },
      {
        unauthenticated: 'forbidden',
        roles: 'admin',
        routes: [{ name: 'adminUsers', path: routePaths.adminUsers, page }],
      },
    ],
  },
];

async function open(address: string, user: Record<string, unknown>) {
  startFakeServer({
    user: { ...rosa, ...user },
    login: () => ({ user: rosa }),
    operations: {
      SignInOptions: () => ({ data: { adminNeeded: { needed: false }, signUpPolicy: 'off' } }),
    },
  });
  const view = renderRoutes(declarations, address);
  await screen.findByRole('heading', { name: "You don't have access to this page" });
  const links = () =>
    within(screen.getByRole('navigation', { name: 'Primary' }))
      .queryAllByRole('link')
      .map((link) => link.textContent);
  return { ...view, links };
}

it('says which page it was, which role it needs, and who is there', async () => {
  const { address, links } = await open('/admin/settings/users?limit=50', {
    username: 'benjie',
    roles: ['dispatcher'],
  });
  expect(address()).toBe('/forbidden?redirectTo=/admin/settings/users%3Flimit%3D50');
  expect(screen.getByText('Users requires the Administrator role.')).toBeInTheDocument();
  expect(screen.getByText("You're signed in as benjie (role: Dispatcher).")).toBeInTheDocument();
  expect(screen.getByText('Ask an administrator if you need access.')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to Dashboard' })).toHaveAttribute('href', '/');
  expect(links()).toContain('Deliveries');
  expect(links()).not.toContain('Settings');
  await expectAccessible();
});

it('leads whoever has no role to their account, and to nothing they could not open', async () => {
  const { links } = await open('/deliveries', { username: 'carlo', roles: [] });
  expect(
    screen.getByText(
      'Deliveries requires one of these roles: Administrator, Transport planner, Dispatcher, Viewer.',
    ),
  ).toBeInTheDocument();
  expect(screen.getByText("You're signed in as carlo (no role).")).toBeInTheDocument();
  expect(screen.getByText('Ask an administrator to give you a role.')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Go to your account' })).toHaveAttribute(
    'href',
    '/account',
  );
  expect(screen.queryByRole('link', { name: 'Go to Dashboard' })).not.toBeInTheDocument();
  expect(links()).toEqual([]);
  await expectAccessible();
});

it('lets somebody else sign in, who then gets where this one could not', async () => {
  const { user, address } = await open('/admin/settings/users?limit=50', {
    username: 'benjie',
    roles: ['dispatcher'],
  });
  await user.click(screen.getByRole('button', { name: 'Sign in as another user' }));
  await screen.findByRole('heading', { name: 'Sign in' });
  await waitFor(() =>
    expect(address()).toBe('/login?redirectTo=%2Fadmin%2Fsettings%2Fusers%3Flimit%3D50'),
  );
  await user.type(screen.getByRole('textbox', { name: 'Username' }), 'rosa');
  await user.type(screen.getByLabelText('Password'), 'right{Enter}');
  expect(await screen.findByText('Content')).toBeInTheDocument();
  expect(address()).toBe('/admin/settings/users?limit=50');
});

it.each(['', '?redirectTo=https://evil.example', '?redirectTo=/nowhere'])(
  'names no page for /forbidden%s',
  async (search) => {
    await open(`/forbidden${search}`, { username: 'benjie', roles: ['dispatcher'] });
    expect(screen.queryByText(/needs/)).not.toBeInTheDocument();
    expect(screen.getByText("You're signed in as benjie (role: Dispatcher).")).toBeInTheDocument();
  },
);
