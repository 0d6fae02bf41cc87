import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { declarations } from '@/app/declarations';
import { expectAccessible } from '@/test/axe';
import { letter, turn } from '@/test/dead-letters';
import { type Answer, type FakeServer, rosa, startFakeServer } from '@/test/fake-server';
import { renderRoutes } from '@/test/render';
// Loaded up front, so that no test waits for a lazy import.
import './dead-letter-page';
import './merge';

let server: FakeServer;
let found: object | null;
/** Other letters by id. */
let others: Record<string, object>;
let resent: Answer | Promise<Answer>;

beforeEach(() => {
  found = letter('1');
  others = {};
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
      DeadLetter: ({ id }) => ({ data: { deliveryDeadLetter: others[String(id)] ?? found } }),
      ResendDeadLetter: () => resent,
    },
  });
});

afterEach(() => void vi.useRealTimers());

async function open() {
  const view = renderRoutes(declarations, '/admin/settings/dead-letter/1');
  await screen.findByRole('heading', { level: 2, name: 'DR-1' });
  return view;
}

const sent = () => server.calls.filter(({ name }) => name === 'ResendDeadLetter');

it('shows what went wrong, every attempt, and its request and response', async () => {
  const { user } = await open();
  expect(screen.getByText(/The receiver refused this message and will refuse it again/)).toBeInTheDocument();
  const attempts = within(screen.getByRole('region', { name: 'Attempts' }));
  expect(attempts.getByRole('button', { pressed: true, name: /422: No invoice/ })).toBeInTheDocument();
  expect(attempts.getByRole('region', { name: 'Body' })).toHaveTextContent('"type": "delivery.status"');
  expect(attempts.getByRole('region', { name: 'Headers (secrets masked)' })).toHaveTextContent('v1,••••');
  await user.click(attempts.getByRole('button', { name: 'Response' }));
  const response = attempts.getByRole('region', { name: 'Response body' });
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

it.each([
  ['off', { endpointOff: true }, /^The endpoint is off/, 'The message will be sent once the endpoint is on again'],
  ['paused', { endpointPaused: true }, /^The endpoint is paused/, 'The message will be sent once the endpoint is resumed'],
])('says that it waits for an endpoint that is %s', async (_, endpoint, advice, toast) => {
  found = letter('1', { ...endpoint, state: 'scheduled_retry' });
  const { user } = await open();
  expect(screen.getByText(advice)).toBeInTheDocument();
  expect(screen.queryByText(/will be retried automatically/)).not.toBeInTheDocument();
  await user.click(screen.getByRole('button', { name: 'Resend' }));
  expect(await screen.findByText(toast)).toBeInTheDocument();
});

it.each([
  ['off', { endpointOff: true }, 'The endpoint is off. Turn it on again on the Endpoints tab, then resend this message.'],
  [
    'paused',
    { endpointPaused: true },
    'The endpoint is paused. Fix the receiver, resume the endpoint on the Endpoints tab, then resend this message.',
  ],
])('says that a failed message must be resent once its endpoint is no longer %s', async (_, endpoint, advice) => {
  found = letter('1', endpoint);
  await open();
  expect(screen.getByText(advice)).toBeInTheDocument();
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
  await waitFor(() => expect(body).toHaveFocus());
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

it('shows the newest attempt, and keeps one that was chosen when another one is made', async () => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  const { user } = await open();
  const attempts = within(screen.getByRole('region', { name: 'Attempts' }));
  const pressed = (name: RegExp) => attempts.getByRole('button', { pressed: true, name });
  async function tryAgain(at: string, error: string) {
    const { attemptLog } = found as ReturnType<typeof letter>;
    found = letter('1', { attemptLog: [...attemptLog, { ...attemptLog[0], at, error }] });
    await act(() => vi.advanceTimersByTimeAsync(5000));
    await attempts.findByRole('button', { name: new RegExp(error) });
  }
  await tryAgain('2026-11-20T06:01:00Z', '500: Later');
  expect(pressed(/500: Later/)).toBeInTheDocument();
  await user.click(attempts.getByRole('button', { name: /503/ }));
  await tryAgain('2026-11-20T06:02:00Z', '500: Last');
  expect(pressed(/503/)).toBeInTheDocument();
});

it.each(['success', 'discarded'])('is not read again once its state is %s', async (state) => {
  vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
  found = letter('1', { state });
  await open();
  const reads = () => server.calls.filter(({ name }) => name === 'DeadLetter').length;
  const before = reads();
  await act(() => vi.advanceTimersByTimeAsync(60_000));
  expect(reads()).toBe(before);
});

it('compares an attempt with the one before it', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Changes' }));
  expect(screen.getByText('The request was the same.')).toBeInTheDocument();
  const response = await screen.findByRole('region', { name: 'Response' });
  const texts = [...(response.querySelector('div')?.shadowRoot?.querySelectorAll('.cm-content') ?? [])];
  expect(texts.map((it) => it.getAttribute('aria-label'))).toEqual(['Response in the previous attempt', 'Response in this attempt']);
  expect(texts[0]).toHaveTextContent('503');
  expect(texts[1]).toHaveTextContent('No invoice SI-1');
  await user.click(screen.getByRole('button', { name: /503/ }));
  expect(screen.getByText("There's no earlier attempt to compare with.")).toBeInTheDocument();
});

it('is copied as a command of curl', async () => {
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Copy as curl' }));
  expect(await navigator.clipboard.readText()).toContain(`curl -X POST 'https://erp.example/hook'`);
});

it('says what it waits for, and what waits for it', async () => {
  found = letter('1', { state: 'scheduled_retry', waitsBehind: turn('0') });
  const { unmount } = await open();
  expect(screen.getByText('Waiting for an earlier message')).toBeInTheDocument();
  expect(screen.getByRole('link', { name: 'Create' })).toHaveAttribute('href', '/admin/settings/dead-letter/0');
  await expectAccessible();
  unmount();
  found = letter('1', { state: 'scheduled_retry', behind: [turn('2', { method: 'status' })], behindCount: 23 });
  await open();
  expect(screen.getByText('23 later messages about this delivery are waiting for this one')).toBeInTheDocument();
  expect(screen.getByText('And 22 more')).toBeInTheDocument();
});

it('offers no resend of a report that nobody can read', async () => {
  found = letter('1', { deliveryId: '', method: 'event', errorClass: 'validation', producerName: 'erp', resends: 0 });
  renderRoutes(declarations, '/admin/settings/dead-letter/1');
  expect(await screen.findByText(/report from another system couldn't be read/)).toBeInTheDocument();
  expect(screen.queryByRole('button', { name: 'Resend' })).not.toBeInTheDocument();
  expect(screen.getByRole('button', { name: 'Discard' })).toBeInTheDocument();
  expect(screen.getByText('Reporting system')).toBeInTheDocument();
});

it('says when it failed, or that it never did', async () => {
  const failure = () => screen.getByText('Failed At Date').closest('div');
  const { unmount } = await open();
  expect(failure()).not.toHaveTextContent('Never failed');
  unmount();
  found = letter('1', { state: 'success', producerName: 'erp', replayOf: '0', neverFailed: true });
  await open();
  expect(failure()).toHaveTextContent('Never failed');
});

it('says how often it was resent before', async () => {
  found = letter('1', { resends: 3 });
  await open();
  expect(screen.getByText('Already resent 3 times')).toBeInTheDocument();
});

it('that was sent is sent again after a question, as a letter of its own', async () => {
  found = letter('1', { state: 'success', processedAt: '2026-11-20T09:00:00Z' });
  resent = {
    data: {
      resendDeadLetter: { __typename: 'DeadLetter', id: '2', state: 'scheduled_retry', resends: 1, nextAttemptAt: null },
    },
  };
  const { user, address } = await open();
  await user.click(screen.getByRole('button', { name: 'Send again' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Send this message again?' }));
  await expectAccessible();
  found = letter('2', { state: 'scheduled_retry', replayOf: '1' });
  await user.click(question.getByRole('button', { name: 'Send again' }));
  await waitFor(() => expect(sent()[0]?.variables).toEqual({ id: '1', again: true }));
  expect(await screen.findByRole('link', { name: 'Original message' })).toHaveAttribute(
    'href',
    '/admin/settings/dead-letter/1',
  );
  expect(address()).toContain('/admin/settings/dead-letter/2');
});

it('stays on the message that was opened while another one is sent again', async () => {
  let answer: (answer: Answer) => void = () => undefined;
  found = letter('1', { state: 'success', processedAt: '2026-11-20T09:00:00Z' });
  others = { 3: letter('3') };
  resent = new Promise((resolve) => (answer = resolve));
  const { user, router, address } = await open();
  await user.click(screen.getByRole('button', { name: 'Send again' }));
  const question = within(await screen.findByRole('alertdialog', { name: 'Send this message again?' }));
  await user.click(question.getByRole('button', { name: 'Send again' }));
  await act(() => router.navigate('/admin/settings/dead-letter/3'));
  await screen.findByRole('heading', { level: 2, name: 'DR-3' });
  answer({
    data: {
      resendDeadLetter: { __typename: 'DeadLetter', id: '2', state: 'scheduled_retry', resends: 1, nextAttemptAt: null },
    },
  });
  expect(await screen.findByText('The message will be sent in a moment')).toBeInTheDocument();
  expect(address()).toBe('/admin/settings/dead-letter/3');
});

it('explains hidden secrets in an edit, and sends them as they are', async () => {
  found = letter('1', { payload: '{"order":1,"token":"••••1"}' });
  const { user } = await open();
  await user.click(screen.getByRole('button', { name: 'Edit and resend' }));
  const dialog = within(await screen.findByRole('dialog', { name: 'Edit and resend' }));
  expect(dialog.getByRole('textbox', { name: 'Body' })).toHaveAccessibleDescription(/Secrets are replaced by ••••/);
  await expectAccessible();
  await user.click(dialog.getByRole('button', { name: 'Edit and resend' }));
  await waitFor(() => expect(sent()).toHaveLength(1));
  expect(JSON.parse(String(sent()[0]?.variables.payload))).toEqual({ order: 1, token: '••••1' });
});

it('closes an edit when the browser goes back to another message', async () => {
  others = { 2: letter('2', { payload: '{"order":2}' }) };
  const { user, router } = await open();
  await act(() => router.navigate('/admin/settings/dead-letter/2'));
  await screen.findByRole('heading', { level: 2, name: 'DR-2' });
  await user.click(screen.getByRole('button', { name: 'Edit and resend' }));
  await screen.findByRole('dialog', { name: 'Edit and resend' });
  // The message before is cached.
  await act(() => router.navigate(-1));
  await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  expect(screen.getByRole('heading', { level: 2, name: 'DR-1' })).toBeInTheDocument();
});
