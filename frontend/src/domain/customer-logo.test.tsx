import { act, fireEvent, screen, waitFor } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { Shell } from '@/shell/shell';
import { routePaths } from '@/routing/route-paths';
import { expectAccessible } from '@/test/axe';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { FakeSocket } from '@/test/fake-socket';
import { renderRoutes } from '@/test/render';
import { LOGO_ID, LOGO_PATH, logoInformation, logoValue } from '@/test/settings';

let answer: () => Answer | Promise<Answer>;
let server: FakeServer;

beforeEach(() => {
  answer = () => logoInformation(logoValue());
});

async function open() {
  server = startFakeServer({ user: rosa, operations: { GetLogoInformation: () => answer() } });
  const page = () => Promise.resolve({ default: () => <p>Content</p> });
  const view = renderRoutes(
    [
      { name: 'login', path: '/login', page },
      {
        unauthenticated: 'login',
        wrap: Shell,
        routes: [{ name: 'deliveries', path: routePaths.deliveries, page }],
      },
    ],
    '/deliveries',
  );
  await screen.findByRole('navigation', { name: 'Primary' });
  return view;
}

const picture = () => screen.queryByRole('img', { name: 'Habagat Logistics' });
const poweredBy = () => screen.getByText(/powered by/);
/** The element whose height determines the position of everything below it. */
const head = () => poweredBy().parentElement?.parentElement;

it("stands at the top of the drawer with a 'powered by' mark, as it is set", async () => {
  await open();
  const shown = await screen.findByRole('img', { name: 'Habagat Logistics' });
  expect(server.calls.find(({ name }) => name === 'GetLogoInformation')?.variables).toEqual({
    id: LOGO_ID,
  });
  expect(shown).toHaveAttribute('src', LOGO_PATH);
  expect(shown).toHaveStyle({ width: '116px' });
  expect(shown.parentElement).toHaveStyle({ transform: 'translateY(-3px)' });
  expect(poweredBy().parentElement).toHaveStyle({ marginTop: '12px' });
  expect(poweredBy()).toHaveTextContent('powered byWaybill');
  await expectAccessible();
});

it('follows what others save', async () => {
  FakeSocket.install();
  await open();
  await screen.findByRole('img', { name: 'Habagat Logistics' });
  await waitFor(() => expect(FakeSocket.last().open('currentUserChanged')).not.toEqual([]));
  answer = () => logoInformation(logoValue({ size: 90 }));
  act(() => FakeSocket.last().push({ currentUserChanged: rosa }));
  await waitFor(() => expect(picture()).toHaveStyle({ width: '90px' }));
});

it('is at most 130 px wide', async () => {
  answer = () => logoInformation(logoValue({ size: 400 }));
  await open();
  expect(await screen.findByRole('img', { name: 'Habagat Logistics' })).toHaveStyle({
    width: '130px',
  });
});

it('lets nothing jump when it arrives', async () => {
  let arrive: (answer: Answer) => void = () => undefined;
  answer = () =>
    new Promise((resolve) => {
      arrive = resolve;
    });
  await open();
  expect(picture()).not.toBeInTheDocument();
  expect(screen.queryByText('Habagat Logistics')).not.toBeInTheDocument();
  const before = head()?.style.height;
  expect(before).toMatch(/^\d+px$/);
  act(() => arrive(logoInformation(logoValue({ gap: 30 }))));
  await screen.findByRole('img', { name: 'Habagat Logistics' });
  expect(head()?.style.height).toBe(before);
});

it.each([
  ['there is none', () => logoInformation(null)],
  ['its setting is malformed', () => logoInformation('{"url": ')],
  ['it lies elsewhere', () => logoInformation(logoValue({ url: 'https://elsewhere.example/a.png' }))],
  ['it cannot be read', () => ({ errors: [{ message: 'away' }] })],
])('is the name of the organization while %s', async (_, told) => {
  answer = told;
  await open();
  expect(await screen.findByText('Habagat Logistics')).toBeInTheDocument();
  expect(picture()).not.toBeInTheDocument();
});

it("is the product's mark when the picture is broken", async () => {
  await open();
  fireEvent.error(await screen.findByRole('img', { name: 'Habagat Logistics' }));
  await waitFor(() => expect(picture()).not.toBeInTheDocument());
  expect(screen.getAllByText('Waybill')).toHaveLength(2);
});

it('returns once the picture can be loaded again', async () => {
  await open();
  const first = await screen.findByRole('img', { name: 'Habagat Logistics' });
  const hidden = () => screen.getByRole('img', { name: 'Habagat Logistics', hidden: true });
  vi.useFakeTimers();
  fireEvent.error(first);
  act(() => vi.advanceTimersByTime(60_000));
  const second = hidden();
  expect(second).not.toBe(first);
  fireEvent.error(second);
  expect(picture()).not.toBeInTheDocument();
  act(() => vi.advanceTimersByTime(60_000));
  expect(picture()).not.toBeInTheDocument();
  fireEvent.load(hidden());
  expect(picture()).toBeVisible();
  expect(screen.getAllByText('Waybill')).toHaveLength(1);
  const last = picture();
  act(() => vi.advanceTimersByTime(600_000));
  expect(picture()).toBe(last);
});
