import {
  cacheExchange,
  Client,
  type CombinedError,
  type Exchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  type Operation,
  type OperationResult,
  subscriptionExchange,
} from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { retryExchange } from '@urql/exchange-retry';
import { makeSubject, map, merge, pipe, tap } from 'wonka';
import { attachLive, createLive } from './live';

// Evicts queries from the document cache, which would otherwise keep every answer for the whole session.

/** How long a cached answer is kept after the last screen that showed it, in milliseconds. */
const UNWATCHED_MS = 30_000;

const markOf = ({ key }: Operation) => `unwatched ${key}`;

/** Gives each query a type name of its own, so that the cache can invalidate exactly one query. */
function marked(operation: Operation): Operation {
  if (operation.kind !== 'query') return operation;
  const { context } = operation;
  const additionalTypenames = [...(context.additionalTypenames ?? []), markOf(operation)];
  return makeOperation('query', operation, { ...context, additionalTypenames });
}

/** A fake mutation of that type, which invalidates it. No screen watches the query, so nothing is fetched. */
function dropping(operation: Operation): OperationResult {
  const context = { ...operation.context, additionalTypenames: [markOf(operation)] };
  return {
    operation: makeOperation('mutation', operation, context),
    data: null,
    stale: false,
    hasNext: false,
  };
}

function dropUnwatched(cache: Exchange): Exchange {
  return (input) => {
    const { source: drops, next: drop } = makeSubject<OperationResult>();
    const timers = new Map<number, ReturnType<typeof setTimeout>>();

    function note(operation: Operation) {
      const { key, kind } = operation;
      if (kind !== 'teardown' && kind !== 'query') return;
      clearTimeout(timers.get(key));
      timers.delete(key);
      if (kind === 'query') return;
      const timer = setTimeout(() => {
        timers.delete(key);
        drop(dropping(operation));
      }, UNWATCHED_MS);
      timers.set(key, timer);
    }

    const cached = cache({
      ...input,
      forward: (operations) => merge([input.forward(operations), drops]),
    });
    return (operations) => cached(pipe(operations, tap(note), map(marked)));
  };
}

export interface GraphqlClientOptions {
  /** Returns the session token, or null when signed out. The caller caches it. */
  getToken: () => Promise<string | null>;
  /** Called when the server still rejects the session after the token was refreshed. */
  onUnauthenticated: () => void;
  /** Number of sign-ins and sign-outs. Ignore the session state of answers to requests from before the last one. */
  getSignInCount?: () => number;
  url?: string;
  fetch?: typeof fetch;
}

const TOKEN_LIFETIME_MS = 5000;
const RETRIES = 1;

function isUnauthenticated(error: CombinedError): boolean {
  return error.graphQLErrors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
}

/** Create one per signed-in user: the document cache must not outlive the session. */
export function createGraphqlClient(options: GraphqlClientOptions): Client {
  const { getToken, onUnauthenticated, getSignInCount = () => 0, url = '/graphql' } = options;
  const live = createLive({ getToken, onUnauthenticated, getSignInCount, url });
  const client = new Client({
    url,
    fetch: options.fetch,
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    exchanges: [
      mapExchange({
        onOperation: (operation) =>
          makeOperation(operation.kind, operation, {
            ...operation.context,
            signInCount: getSignInCount(),
          }),
        onError(error, { context }) {
          const isCurrent = context['signInCount'] === getSignInCount();
          if (isCurrent && isUnauthenticated(error)) onUnauthenticated();
        },
      }),
      dropUnwatched(cacheExchange),
      authExchange(async (utils) => {
        let token = await getToken();
        let readAt = Date.now();
        return {
          addAuthToOperation: (operation) =>
            token
              ? utils.appendHeaders(operation, {
                  'auth-provider': 'dbAuth',
                  authorization: `Bearer ${token}`,
                })
              : operation,
          willAuthError: () => !token || Date.now() - readAt >= TOKEN_LIFETIME_MS,
          didAuthError: isUnauthenticated,
          async refreshAuth() {
            token = await getToken();
            readAt = Date.now();
          },
        };
      }),
      retryExchange({
        initialDelayMs: 400,
        maxNumberAttempts: 1 + RETRIES,
        // A mutation may have reached the server before the connection broke.
        retryIf: ({ networkError, response }, { kind }) =>
          kind === 'query' && Boolean(networkError) && isWorthRepeating(response),
      }),
      fetchExchange,
      subscriptionExchange({ forwardSubscription: live.forward }),
    ],
  });
  attachLive(client, live);
  return client;
}

function isWorthRepeating(response: unknown): boolean {
  return !(response instanceof Response) || response.status >= 500;
}
