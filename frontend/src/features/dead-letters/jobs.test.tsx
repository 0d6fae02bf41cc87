import { act, screen, waitFor, within } from '@testing-library/react';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { expectAccessible } from '@/test/axe';
import { letterJob } from '@/test/dead-letters';
import { openDeadLettersPage, startDeadLettersPage, toFixTab } from '@/test/dead-letters-page';
import { FakeSocket } from '@/test/fake-socket';
// Loaded up front, so that no test waits for a lazy import.
import './dead-letters-page';

let answers: ReturnType<typeof startDeadLettersPage>['answers'];
let sent: ReturnType<typeof startDeadLettersPage>['sent'];

beforeEach(() => {
  ({ answers, sent } = startDeadLettersPage());
});

afterEach(() => {
  vi.useRealTimers();
});

describe('jobs', () => {
  it('leave a receipt, and one that runs can be canceled', async () => {
    answers.jobs = [letterJob('j1', { state: 'running', done: 500, finishedAt: null }), letterJob('j0')];
    const { user } = await openDeadLettersPage();
    const panel = within(await screen.findByRole('region', { name: 'Resends and discards' }));
    expect(panel.getByText('1,200 of 1,204 scheduled to be sent again')).toBeInTheDocument();
    expect(panel.getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
    await expectAccessible();
    await user.click(panel.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('CancelDeadLetterJob')[0]?.variables).toEqual({ id: 'j1' }));
  });

  it('stay when they cannot be read again, and are read again soon', async () => {
    vi.useFakeTimers({ shouldAdvanceTime: true, toFake: ['setInterval', 'clearInterval'] });
    const running = { state: 'running', finishedAt: null };
    answers.jobs = [letterJob('j1', { ...running, done: 500 })];
    const { user } = await openDeadLettersPage();
    const panel = () => within(screen.getByRole('region', { name: 'Resends and discards' }));
    await screen.findByRole('region', { name: 'Resends and discards' });
    answers.jobs = undefined;
    await user.click(panel().getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('DeadLetterJobs').length).toBeGreaterThan(1));
    await act(() => vi.advanceTimersByTimeAsync(5000));
    expect(panel().getByRole('progressbar')).toHaveAttribute('aria-valuenow', '42');
    answers.jobs = [letterJob('j1', { ...running, done: 903 })];
    await act(() => vi.advanceTimersByTimeAsync(5000));
    await waitFor(() => expect(panel().getByRole('progressbar')).toHaveAttribute('aria-valuenow', '75'));
  });

  it.each(['?view=groups', '?view=list'])('update the number of messages to fix when they end, at %s', async (search) => {
    FakeSocket.install();
    answers.jobs = [letterJob('j1', { action: 'discard', state: 'running', done: 5, finishedAt: null })];
    await openDeadLettersPage(search);
    await screen.findByRole('progressbar');
    await waitFor(() => expect(FakeSocket.last().open('deadLetterJobChanged')).toHaveLength(1));
    await waitFor(() => expect(toFixTab()).toHaveTextContent('12'));
    [answers.toFix, answers.jobs] = [3, [letterJob('j1', { action: 'discard' })]];
    const change = { __typename: 'DeadLetterJob', id: 'j1', state: 'done', done: 1204, changed: 1200 };
    act(() => FakeSocket.last().push({ deadLetterJobChanged: change }));
    // Sooner than the counts are read again anyway.
    await waitFor(() => expect(toFixTab()).toHaveTextContent(/fix\s*3$/), { timeout: 5000 });
  });

  it('show the newest one above the list, from which all that match are resent', async () => {
    const { user } = await openDeadLettersPage('?view=list');
    await user.click(await screen.findByRole('button', { name: 'Resend all matching' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Resend messages' }));
    await dialog.findByText(/11 messages will be sent again/);
    answers.jobs = [letterJob('j1', { state: 'running', done: 500, finishedAt: null }), letterJob('j0')];
    await user.click(dialog.getByRole('button', { name: 'Resend 11' }));
    const panel = within(await screen.findByRole('region', { name: 'Resends and discards' }));
    expect(panel.getAllByRole('listitem')).toHaveLength(1);
    await user.click(panel.getByRole('button', { name: 'Cancel' }));
    await waitFor(() => expect(sent('CancelDeadLetterJob')[0]?.variables).toEqual({ id: 'j1' }));
    await expectAccessible();
    await user.click(panel.getByRole('button', { name: 'Show all' }));
    expect(panel.getAllByRole('listitem')).toHaveLength(2);
  });
});
