import { render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import type { ReactElement } from 'react';
import { createMemoryRouter, type InitialEntry } from 'react-router';
import { App } from '@/app/app';
import { createAppRoutes } from '@/app/router';
import { createAuthClient } from '@/auth/auth-client';
import { createAuthStore } from '@/auth/auth-store';
import { fetchCurrentUser } from '@/auth/current-user';
import type { RouteEntry } from '@/routing/declarations';
import { startFakeServer } from './fake-server';

/** Renders the whole app with the given routes at a URL, with the real auth and data clients. */
export function renderRoutes(declarations: readonly RouteEntry[], address: InitialEntry = '/') {
  const auth = createAuthStore(createAuthClient(), fetchCurrentUser);
  const router = createMemoryRouter(createAppRoutes(declarations), { initialEntries: [address] });
  void auth.reauthenticate();
  const user = userEvent.setup();
  const view = render(<App auth={auth} router={router} />);
  const currentAddress = () => router.state.location.pathname + router.state.location.search;
  return { ...view, user, auth, router, address: currentAddress };
}

/** Renders one element as the only page of the app, without access restrictions. */
export function renderPage(element: ReactElement) {
  const page = () => Promise.resolve({ default: () => element });
  return renderRoutes([{ name: 'page', path: '/', page }], '/');
}

/** Renders parts of the interface on a page that has the heading "Parts", with a fake server. */
export async function renderParts(parts: ReactElement) {
  startFakeServer();
  const view = renderPage(
    <main>
      <h1>Parts</h1>
      {parts}
    </main>,
  );
  await screen.findByRole('heading', { name: 'Parts' });
  return view;
}
