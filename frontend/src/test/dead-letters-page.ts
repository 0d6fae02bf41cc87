import { screen, within } from '@testing-library/react';
import { declarations } from '@/app/declarations';
import { endpoint, letterGroup, letterRow } from './dead-letters';
import { rosa, startFakeServer } from './fake-server';
import { renderRoutes } from './render';

interface Answers {
  /** How many messages are to be fixed. */
  toFix: number;
  /** The groups of messages by error; undefined if they cannot be read. */
  groups: object[] | undefined;
  /** Whether there are more groups than are returned. */
  hasMore: boolean;
  /** Resends and discards; undefined if they cannot be read. */
  jobs: object[] | undefined;
  endpoints: object[];
  rows: object[];
  sentRows: object[];
  /** Whether the answer to the start of a resend is lost. */
  isStartLost: boolean;
  /** Whether the answer to the start of a discard is lost. */
  isDiscardLost: boolean;
}

const count = (total: number) => ({ __typename: 'Count', total, exact: true });

/** Starts the server behind the dead letters page. */
export function startDeadLettersPage() {
  const answers: Answers = {
    toFix: 12,
    groups: [
      letterGroup('f1'),
      letterGroup('f2', {
        errorText: 'The receiver did not answer in 30 s',
        state: 'scheduled_retry',
        count: 1,
        nextAttemptAt: '2026-11-20T08:00:00Z',
      }),
    ],
    hasMore: false,
    jobs: [],
    endpoints: [endpoint('e1')],
    rows: [letterRow('1'), letterRow('2', { method: 'form', deliveryId: '' })],
    sentRows: [letterRow('9', { state: 'success', processedAt: '2026-11-20T09:00:00Z' })],
    isStartLost: false,
    isDiscardLost: false,
  };
  const server = startFakeServer({
    user: rosa,
    operations: {
      DeadLetterGroups: () => {
        const { groups, hasMore } = answers;
        return groups
          ? { data: { deadLetterGroups: groups, deadLetterGroupsCount: { ...count(groups.length), exact: !hasMore } } }
          : { errors: [{ message: 'Something went wrong', extensions: { code: 'INTERNAL' } }] };
      },
      DeadLetterCounts: () => ({ data: { failed: count(answers.toFix), sent: count(1208) } }),
      DeadLettersToFixCount: () => ({ data: { deliveryDeadLettersCount: count(12) } }),
      DeadLetterJobs: () =>
        answers.jobs ? { data: { deadLetterJobs: answers.jobs } } : { errors: [{ message: 'Too busy' }] },
      OutboundEndpoints: () => ({
        data: { outboundEndpoints: answers.endpoints, sources: [{ __typename: 'Source', id: 's1', name: 'Web' }] },
      }),
      DeadLettersToFix: () => ({
        data: { deliveryDeadLetters: answers.rows, deliveryDeadLettersCount: count(answers.rows.length) },
      }),
      DeadLettersSent: () => ({
        data: { deliveryDeadLetters: answers.sentRows, deliveryDeadLettersCount: count(answers.sentRows.length) },
      }),
      ResendDeadLetters: () => {
        if (answers.isStartLost) throw new TypeError('lost');
        return { data: { resendDeadLetters: { __typename: 'DeadLetterJob', id: 'j1', total: 11, state: 'waiting' } } };
      },
      DiscardDeadLetters: () => {
        if (answers.isDiscardLost) throw new TypeError('lost');
        return { data: { discardDeadLetters: { __typename: 'DeadLetterJob', id: 'j2', total: 2, state: 'waiting' } } };
      },
      CancelDeadLetterJob: () => ({
        data: {
          cancelDeadLetterJob: { __typename: 'DeadLetterJob', id: 'j1', state: 'running', cancelRequested: true },
        },
      }),
      DeadLetterProducers: () => ({ data: { deadLetterProducers: [] } }),
    },
  });
  return { answers, sent: (name: string) => server.calls.filter((call) => call.name === name) };
}

export async function openDeadLettersPage(search = '') {
  const view = renderRoutes(declarations, `/admin/settings/dead-letters${search}`);
  await screen.findByRole('heading', { level: 1, name: 'Dead Letters' });
  return view;
}

/** The tab of the messages to fix, with their number. */
export const toFixTab = () =>
  within(screen.getByRole('navigation', { name: 'Dead letters' })).getByRole('link', { name: /To fix/ });
