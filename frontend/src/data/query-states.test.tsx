import { act, render, screen } from '@testing-library/react';
import { userEvent } from '@testing-library/user-event';
import { useEffect } from 'react';
import { Provider } from 'urql';
import { beforeEach, expect, it, vi } from 'vitest';
import { createGraphqlClient } from './client';
import { graphql } from './graphql';
import { Placeholder, QueryFailure, QueryState } from './query-state';
import { type RecordResult, useRecord } from './use-record';

const query = graphql(`
  query Version {
    redwood {
      version
    }
  }
`);

type Send = typeof fetch;
let answer: (response: Response | Error) => void;
let result: RecordResult<string | null>;
const states: string[] = [];
let signals: (AbortSignal | null | undefined)[];

const send: Send = (_, init) =>
  new Promise((resolve, reject) => {
    signals.push(init?.signal);
    answer = (response) => (response instanceof Error ? reject(response) : resolve(response));
  });
const reply = (version: string | null) =>
  act(async () => answer(Response.json({ data: { redwood: { __typename: 'Redwood', version } } })));
const fail = (data?: { redwood: null } | null) =>
  act(async () => answer(Response.json({ data, errors: [{ message: 'Too busy' }] })));

function Version() {
  const own = useRecord({
    document: query,
    variables: {},
    typenames: ['Redwood'],
    read: ({ redwood }) => redwood.version || null,
  });
  const { value, error, status, retry } = own;
  useEffect(() => {
    result = own;
    if (states.at(-1) !== status) states.push(status);
  }, [own, status]);
  return (
    <QueryState {...{ value, error, status }} onRetry={retry}>
      {(version) => <p>{version}</p>}
    </QueryState>
  );
}

async function open() {
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    onUnauthenticated: () => undefined,
    fetch: send,
  });
  render(
    <Provider value={client}>
      <Version />
    </Provider>,
  );
  await act(async () => undefined);
}

beforeEach(() => {
  states.length = 0;
  signals = [];
});

it('reports loading, ready, refetch, polling and error by name', async () => {
  await open();
  expect(states).toEqual(['loading']);
  await reply('one');
  expect(await screen.findByText('one')).toBeInTheDocument();
  await act(async () => result.retry());
  await reply('two');
  await screen.findByText('two');
  await act(async () => result.refresh());
  await reply('three');
  await screen.findByText('three');
  await act(async () => result.refresh());
  await fail();
  expect(states).toEqual(['loading', 'ready', 'refetch', 'ready', 'polling', 'ready', 'polling', 'error']);
  // The loaded value stays.
  expect(screen.getByText('three')).toBeInTheDocument();
  expect(result.isStale).toBe(true);
});

it('refreshes after the read in flight, which it does not abort, and once for all that asked', async () => {
  await open();
  await reply('one');
  await act(async () => result.refresh());
  await act(async () => result.refresh());
  await act(async () => result.refresh());
  expect([signals.length, signals.at(-1)?.aborted]).toEqual([2, false]);
  await reply('two');
  expect(screen.getByText('two')).toBeInTheDocument();
  expect(signals).toHaveLength(3);
  await reply('three');
  expect(screen.getByText('three')).toBeInTheDocument();
  expect(signals).toHaveLength(3);
  expect(result.status).toBe('ready');
});

it.each([{ redwood: null }, null])('keeps the value while it retries after a response with errors and %j', async (data) => {
  await open();
  await reply('one');
  await act(async () => result.retry());
  await fail(data);
  expect(result.isStale).toBe(true);
  await act(async () => result.retry());
  expect(result.status).toBe('refetch');
  expect(screen.getByText('one')).toBeInTheDocument();
  await reply('two');
  expect(screen.getByText('two')).toBeInTheDocument();
});

it("shows 'Loading...' in the place of a part, and what went wrong, and that it is tried again", async () => {
  const user = userEvent.setup();
  await open();
  expect(screen.getByRole('status')).toHaveTextContent('Loading...');
  await fail();
  expect(await screen.findByRole('alert')).toHaveTextContent('Too busy');
  const again = screen.getByRole('button', { name: 'Retry' });
  await user.click(again);
  expect(states).toEqual(['loading', 'error', 'refetch']);
  await reply('one');
  expect(await screen.findByText('one')).toBeInTheDocument();
});

it("shows 'empty' where there is nothing and nothing better is said", async () => {
  await open();
  await reply('');
  expect(await screen.findByText('empty')).toBeInTheDocument();
});

it.each(['empty', 'error', 'loading'] as const)("has the generic placeholder '%s'", (kind) => {
  render(<Placeholder kind={kind} />);
  expect(screen.getByText(kind)).toBeInTheDocument();
});

it("calls a failure that says nothing 'Error'", () => {
  render(<QueryFailure error={undefined} onRetry={vi.fn<() => void>()} />);
  expect(screen.getByRole('alert')).toHaveTextContent('Error');
  expect(screen.getByText('Error')).toBeInTheDocument();
});
