import {
  Client,
  cacheExchange,
  fetchExchange,
  makeOperation,
  mapExchange,
  subscriptionExchange,
  type CombinedError,
} from '@urql/core';
import { authExchange } from '@urql/exchange-auth';
import { retryExchange } from '@urql/exchange-retry';
import { dropUnwatched } from './drop-unwatched';
import { attachLive, createLive } from './live';

export interface GraphqlClientOptions {
  /** Answers the token of the session, or null when signed out. Cached by its owner. */
  getToken: () => Promise<string | null>;
  /** Called when the server still refuses the session after the token was read anew. */
  onUnauthenticated: () => void;
  /** Counts sign-ins and sign-outs. An answer to a request from before the last one says nothing about the session. */
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
  const live = createLive({ getToken, onUnauthenticated, url });
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
