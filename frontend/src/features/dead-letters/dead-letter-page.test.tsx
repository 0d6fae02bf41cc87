import { screen, waitFor, within } from '@testing-library/react';
import { beforeEach, expect, it } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { letter } from '@/test/dead-letters';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Fetched ahead, so that no test waits for it on a busy machine.
import './pages/dead-letter-page';

let server: FakeServer;
let found: object | null;
let resent: Answer;

beforeEach(() => {
  found = letter('1');
  resent = {
    data: {
      resendDeadLetter: {
        __typename: 'DeadLetter',
        id: '1',
        state: 'scheduled_retry',
        resends: 1,
        nextAttemptAt: '2026-11-20T09:00:00Z',
      },
    },
  };
  server = startFakeServer({
    user: rosa,
    operations: {
      DeadLetter: () => ({ data: { deliveryDeadLetter: found } }),
      ResendDeadLetter: () => resent,
    },
  });
});

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/dead-letter/1');
  await screen.findByRole('heading', { level: 2, name: 'DR-1' });
  return view;
}

const sent = () => server.calls.filter(({ name }) => name === 'ResendDeadLetter');

it('shows what went wrong, every attempt, and its request and response', async () => {
  const { user } = await open();
  expect(screen.getByText(/The receiver refused it and will refuse it again/)).toBeInTheDocument();
  const attempts = within(screen.getByRole('region', { name: 'Attempts' }));
  expect(attempts.getByRole('button', { pressed: true, name: /422: No invoice/ })).toBeInTheDocument();
  expect(attempts.getByRole('region', { name: 'Body' })).toHaveTextContent('"type": "delivery.status"');
  expect(attempts.getByRole('region', { name: 'Headers, secrets masked' })).toHaveTextContent('v1,••••');
  await user.click(attempts.getByRole('button', { name: 'Response' }));
  const response = attempts.getByRole('region', { name: 'Body of the response' });
  expect(response).toHaveTextContent('No invoice SI-1');
  await user.click(attempts.getByRole('button', { name: /503/ }));
  expect(response).toHaveTextContent('Empty');
  await expectAccessible();
});

it('is resent once, and says why it cannot be', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Resend' }));
  expect(await screen.findByText('The message will be sent in a moment')).toBeInTheDocument();
  expect(sent()[0]?.variables).toEqual({ id: '1' });
  resent = { errors: [{ message: 'This message was sent in the meantime. Reload the page.' }] };
  await user.click(screen.getByRole('button', { name: 'Resend' }));
  expect(await screen.findByText(/was sent in the meantime/)).toBeInTheDocument();
});

it('is edited only to a JSON object', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Edit and resend' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit and resend' }));
  const body = dialog.getByRole('textbox', { name: 'Body' });
  await user.clear(body);
  await user.type(body, '[[1]');
  await user.click(dialog.getByRole('button', { name: 'Edit and resend' }));
  expect(body).toHaveAccessibleDescription(/Enter a JSON object/);
  expect(sent()).toHaveLength(0);
  await expectAccessible();
  await user.clear(body);
  await user.type(body, '{{"a":1}');
  await user.click(dialog.getByRole('button', { name: 'Edit and resend' }));
  await waitFor(() => expect(sent()[0]?.variables).toEqual({ id: '1', payload: '{"a":1}' }));
});

it('offers nothing once it was discarded, and knows one that is gone', async () => {
  found = letter('1', { state: 'discarded', discardedBy: 'rosa', discardReason: 'Test data' });
  const { unmount } = await open();
  expect(screen.getByText('Discarded by rosa')).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Resend' })).not.toBeInTheDocument();
  unmount();
  found = null;
  renderRoutes(declarations, '/admin/settings/dead-letter/1');
  expect(await screen.findByRole('heading', { name: 'Message not found' })).toBeInTheDocument();
  await expectAccessible();
});
