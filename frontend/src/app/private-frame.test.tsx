import { act, screen } from '@testing-library/react';
import { expect, it, vi } from 'vitest';
import { rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
import { PrivateFrame } from './private-frame';

const shell = vi.hoisted(() => ({ isGone: false }));
vi.mock('@/shell/shell', () => {
  if (shell.isGone) throw new Error('chunk');
  return {
    Shell: ({ children }: { children: React.ReactNode }) => <div data-testid="shell">{children}</div>,
  };
});

const page = (title: string) => () => Promise.resolve({ default: () => <h1>{title}</h1> });

function open(address: string) {
  startFakeServer({ user: rosa });
  return renderRoutes(
    [
      { name: 'login', path: '/login', page: page('Sign in') },
      {
        unauthenticated: 'login',
        wrap: PrivateFrame,
        routes: [{ name: 'deliveries', path: '/deliveries', page: page('Deliveries') }],
      },
    ],
    address,
  );
}

it('says that the shell could not be fetched, without it', async () => {
  shell.isGone = true;
  vi.spyOn(console, 'error').mockImplementation(() => undefined);
  const view = open('/deliveries');
  expect(await screen.findByRole('heading', { name: 'Something went wrong' })).toBeVisible();
  expect(screen.queryByTestId('shell')).not.toBeInTheDocument();
  view.unmount();
});

it('is there with the page, so that what announces the page finds its heading', async () => {
  shell.isGone = false;
  const { router } = open('/login');
  await screen.findByRole('heading', { name: 'Sign in' });
  const gaps: (string | null)[] = [];
  const observer = new MutationObserver(() => {
    if (!document.querySelector('h1')) gaps.push(document.body.textContent);
  });
  observer.observe(document.body, { childList: true, subtree: true });
  await act(() => router.navigate('/deliveries'));
  const heading = await screen.findByRole('heading', { name: 'Deliveries' });
  observer.disconnect();
  expect(screen.getByTestId('shell')).toContainElement(heading);
  expect(gaps).toEqual([]);
});
