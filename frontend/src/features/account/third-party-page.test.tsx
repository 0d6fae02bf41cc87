import { screen } from '@testing-library/react';
import { expect, it } from 'vitest';
import { authRoutes } from '@/features/auth-pages/routes';
import type { RouteEntry } from '@/routing/declarations';
import { Shell } from '@/shell/shell';
import { expectAccessible } from '@/test/axe';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { accountRoutes } from './routes';

const declarations: RouteEntry[] = [
  ...authRoutes,
  { unauthenticated: 'login', wrap: Shell, routes: accountRoutes },
];
const PATH = '/third-party-notices.txt';
const refused = () =>
  new Response(JSON.stringify({ ok: false, error: 'The service is busy.', code: 'UNAVAILABLE' }), { status: 503 });

it('shows what the server says, also after it failed once', async () => {
  let tries = 0;
  let authorization: unknown;
  startFakeServer({
    user: rosa,
    operations: { MySessions: () => ({ data: { mySessions: [] } }) },
    paths: {
      [PATH]: (_, init) => {
        authorization = new Headers(init.headers).get('authorization');
        return ++tries === 1 ? refused() : new Response('tokio 1.2: MIT; text 1');
      },
    },
  });
  const { user } = renderRoutes(declarations, '/account');
  await user.click(await screen.findByRole('link', { name: 'Third-party notices' }));
  expect(await screen.findByText('The service is busy.')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Download' })).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Retry' }));
  expect(await screen.findByText('tokio 1.2: MIT; text 1')).toBeInTheDocument();
  expect(authorization).toBe('Bearer token');
  expect(screen.getByRole('button', { name: 'Download' })).toBeInTheDocument();
  await expectAccessible();
});
