import { act, renderHook } from '@testing-library/react';
import type { TypedDocumentNode } from '@urql/core';
import type { ReactNode } from 'react';
import { Provider } from 'urql';
import { expect, it } from 'vitest';
import { createGraphqlClient } from '@/data/client';
import { graphql } from '@/data/graphql';
import type { ListVariables, Resource } from './resource';
import { useListQuery } from './use-list-query';

const document = graphql(`
  query Version {
    redwood {
      version
    }
  }
`) as TypedDocumentNode<{ redwood: { version: string } }, ListVariables>;

const resource = {
  typename: 'Redwood',
  document,
  filters: [],
  toList: ({ redwood }) => ({ rows: [redwood.version], count: { total: 1, exact: true } }),
} as Partial<Resource<string, { redwood: { version: string } }>> as Resource<string, { redwood: { version: string } }>;
const state = { filters: [], sort: [], limit: 25, offset: 0 };

it('refreshes after the read in flight, which it does not abort, and without an indicator', async () => {
  const signals: (AbortSignal | null | undefined)[] = [];
  let answer: (response: Response) => void = () => undefined;
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    onUnauthenticated: () => undefined,
    fetch: (_, init) => {
      signals.push(init?.signal);
      return new Promise((resolve) => (answer = resolve));
    },
  });
  const wrapper = ({ children }: { children: ReactNode }) => <Provider value={client}>{children}</Provider>;
  const { result } = renderHook(() => useListQuery(resource, state, 'UTC'), { wrapper });
  const reply = (version: string) =>
    act(async () => answer(Response.json({ data: { redwood: { __typename: 'Redwood', version } } })));
  await act(async () => undefined);
  await reply('one');
  await act(async () => result.current.refresh());
  await act(async () => result.current.refresh());
  expect([signals.length, signals.at(-1)?.aborted]).toEqual([2, false]);
  expect(result.current.query).toBe('polling');
  await reply('two');
  expect(result.current.rows).toEqual(['two']);
  expect(signals).toHaveLength(3);
  await reply('three');
  expect(result.current).toMatchObject({ rows: ['three'], query: 'ready' });
  expect(signals).toHaveLength(3);
});
