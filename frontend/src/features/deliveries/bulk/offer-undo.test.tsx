import { Client, fetchExchange } from '@urql/core';
import { act, fireEvent, render, screen } from '@testing-library/react';
import { beforeEach, expect, it, vi } from 'vitest';
import { Provider } from 'urql';
import { Toaster } from '@/ui/toast';
import { useOfferUndo } from './offer-undo';

function Offer() {
  const offer = useOfferUndo();
  return <button onClick={() => offer('c1', 5)}>Change</button>;
}

function clientOf(change: object): Client {
  const answer = { data: { undoBulkChange: { id: 'u1' }, bulkChange: { state: 'done', ...change } } };
  return new Client({
    url: 'http://localhost/graphql',
    preferGetMethod: false,
    exchanges: [fetchExchange],
    fetch: () => Promise.resolve(Response.json(answer)),
  });
}

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});

const pass = (milliseconds: number) => act(() => vi.advanceTimersByTimeAsync(milliseconds));

it.each([
  ['success', '5 deliveries restored.', 5, [], 2000],
  [
    'a note, which needs reading',
    '2 deliveries restored. 1 not undone: someone has changed it since. 2 not undone: their previous drivers are blocked.',
    2,
    [
      { reason: 'driver_blocked', count: 2 },
      { reason: 'changed', count: 1 },
    ],
    10_000,
  ],
])('says what came of an undo as %s', async (_, text, changed, leftOut, duration) => {
  const client = clientOf({ total: 5, changed, leftOut, finishedAt: '2026-11-20T01:31:00Z' });
  render(
    <Provider value={client}>
      <Offer />
      <Toaster />
    </Provider>,
  );
  fireEvent.click(screen.getByText('Change'));
  fireEvent.click(screen.getByText('Undo'));
  expect(await screen.findByText(text)).toBeInTheDocument();
  await pass(duration / 2);
  expect(screen.getByText(text)).toBeInTheDocument();
  await pass(duration / 2);
  expect(screen.queryByText(text)).not.toBeInTheDocument();
});
