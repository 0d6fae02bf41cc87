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
import { filter, makeSubject, map, merge, pipe, tap } from 'wonka';
import { attachLive, createLive } from './live';
import { overtakenExchange } from './overtaken-queries';
import { createRefusedQueries, isUnauthenticated } from './refused-queries';
import { timedFetch } from './timed-fetch';
import { traceHeader } from './trace';

// Evicts inactive queries from urql's document cache, which would otherwise keep every response for the whole session. Of
// each evicted query, the cache still keeps its key, so queries that are new each time they are sent bypass it.

/** The context of a query that nothing else sends, such as a page of a trail that ends now. */
export const UNCACHED = { requestPolicy: 'network-only', isCached: false } as const;

const isCached = ({ context }: Operation) => context['isCached'] !== false;

/** How long a response stays cached after its last screen unmounted, in milliseconds. */
const INACTIVE_MS = 30_000;

const tagOf = ({ key }: Operation) => `inactive ${key}`;

/** Gives each query its own type name, so that the cache can invalidate single queries. */
function tagged(operation: Operation): Operation {
  if (operation.kind !== 'query') return operation;
  const { context } = operation;
  // A query that is sent again has its tag already.
  const additionalTypenames = [...new Set(context.additionalTypenames).add(tagOf(operation))];
  return makeOperation('query', operation, { ...context, additionalTypenames });
}

/**
 * Returns a fake mutation with the type name of a query. It invalidates the query but refetches nothing, since no
 * screen shows the query.
 */
function evictionOf(operation: Operation): OperationResult {
  const context = { ...operation.context, additionalTypenames: [tagOf(operation)] };
  return {
    operation: makeOperation('mutation', operation, context),
    data: null,
    stale: false,
    hasNext: false,
  };
}

function evictInactive(cache: Exchange): Exchange {
  return (input) => {
    const { source: evictions, next: evict } = makeSubject<OperationResult>();
    const { source: uncached, next: passOn } = makeSubject<OperationResult>();
    const timers = new Map<number, ReturnType<typeof setTimeout>>();

    function track(operation: Operation) {
      const { key, kind } = operation;
      if (kind !== 'teardown' && kind !== 'query') return;
      clearTimeout(timers.get(key));
      timers.delete(key);
      if (kind === 'query') return;
      const timer = setTimeout(() => {
        timers.delete(key);
        evict(evictionOf(operation));
      }, INACTIVE_MS);
      timers.set(key, timer);
    }

    function takeOut(result: OperationResult): boolean {
      if (!isCached(result.operation)) passOn(result);
      return isCached(result.operation);
    }

    return (operations) => {
      const besides = pipe(operations, filter((operation) => !isCached(operation)));
      const cached = cache({
        ...input,
        forward: (misses) => merge([pipe(input.forward(merge([misses, besides])), filter(takeOut)), evictions]),
      });
      return merge([cached(pipe(operations, filter(isCached), tap(track), map(tagged))), uncached]);
    };
  };
}

export interface GraphqlClientOptions {
  /** Returns the session token, or null when signed out; rejects if that is unknown. The caller caches the token. */
  getToken: () => Promise<string | null>;
  /** Called if the server rejects the session, and `confirmSession` says that it has ended. */
  onUnauthenticated: () => void;
  /**
   * Discards the cached token, and returns whether this client's user is still signed in, possibly with another session;
   * undefined if that is unknown. By default, the user is signed in while there is a token.
   */
  confirmSession?: (() => Promise<boolean | undefined>) | undefined;
  /** The number of sign-ins and sign-outs so far, so that session errors of earlier requests can be ignored. */
  getSignInCount?: () => number;
  /** Whether the session has ended, and the user may sign in again. */
  isExpired?: () => boolean;
  url?: string;
  fetch?: typeof fetch;
}

const TOKEN_LIFETIME_MS = 5000;
const RETRIES = 1;

const resumptions = new WeakMap<Client, () => void>();

/** Continues with the new session after the user has signed in again. */
export function resumeSession(client: Client): void {
  resumptions.get(client)?.();
}

/** Creates a client for one signed-in user; the document cache must not outlive the session. */
export function createGraphqlClient(options: GraphqlClientOptions): Client {
  const { getToken, onUnauthenticated, getSignInCount = () => 0, url = '/graphql' } = options;
  const { confirmSession = async () => (await getToken()) !== null, isExpired = () => false } = options;

  async function checkSession(): Promise<boolean | undefined> {
    const isAlive = await confirmSession().catch(() => undefined);
    if (isAlive === false) onUnauthenticated();
    return isAlive;
  }

  /** Returns whether the server rejected the current session. Errors of earlier sessions do not count. */
  const isRefusal = (error: CombinedError, { context }: Operation) =>
    isUnauthenticated(error) && context['signInCount'] === getSignInCount();

  const refused = createRefusedQueries(isExpired);
  const live = createLive({ getToken, checkSession, getSignInCount, url });
  const client = new Client({
    url,
    fetch: options.fetch ?? timedFetch,
    fetchOptions: () => ({ headers: traceHeader() }),
    preferGetMethod: false,
    requestPolicy: 'cache-and-network',
    exchanges: [
      refused.exchange,
      mapExchange({
        onOperation: (operation) =>
          makeOperation(operation.kind, operation, {
            ...operation.context,
            signInCount: getSignInCount(),
          }),
        onError(error, operation) {
          if (isRefusal(error, operation)) void checkSession();
        },
      }),
      evictInactive(cacheExchange),
      overtakenExchange,
      authExchange(async (utils) => {
        let token: string | null = null;
        let failure: unknown;
        let readAt = 0;
        let isRefused = false;

        async function readToken() {
          try {
            failure = undefined;
            token = await getToken();
          } catch (error) {
            token = null;
            failure = error;
          }
          readAt = Date.now();
        }

        await readToken();
        return {
          addAuthToOperation(operation) {
            if (token) {
              return utils.appendHeaders(operation, {
                'auth-provider': 'dbAuth',
                authorization: `Bearer ${token}`,
              });
            }
            if (!failure) return operation;
            // Fail like a lost connection. If the request were sent without a token, the server would answer that
            // nobody is signed in. Rejecting in `refreshAuth` would end subscriptions, too.
            const send = () => Promise.reject(failure as Error);
            return makeOperation(operation.kind, operation, { ...operation.context, fetch: send });
          },
          willAuthError: () => !token || Date.now() - readAt >= TOKEN_LIFETIME_MS,
          didAuthError(error, operation) {
            isRefused ||= isRefusal(error, operation);
            return isUnauthenticated(error);
          },
          async refreshAuth() {
            // Discards the rejected token, too, which the caller would otherwise return from its cache.
            if (isRefused) await checkSession();
            await readToken();
            isRefused = false;
          },
        };
      }),
      retryExchange({
        initialDelayMs: 400,
        maxNumberAttempts: 1 + RETRIES,
        // The server may have received the mutation before the connection broke, so do not send it twice.
        retryIf: ({ networkError, response }, { kind }) =>
          kind === 'query' && Boolean(networkError) && isWorthRepeating(response),
      }),
      fetchExchange,
      subscriptionExchange({ forwardSubscription: live.forward }),
    ],
  });
  attachLive(client, live);
  resumptions.set(client, () => {
    live.renew();
    refused.repeat();
  });
  return client;
}

function isWorthRepeating(response: unknown): boolean {
  return !(response instanceof Response) || response.status >= 500;
}
