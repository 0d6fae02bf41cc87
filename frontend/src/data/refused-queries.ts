import { type CombinedError, type Exchange, makeOperation, type Operation } from '@urql/core';
import { filter, makeSubject, merge, pipe, tap } from 'wonka';

export function isUnauthenticated(error: CombinedError): boolean {
  return error.graphQLErrors.some(({ extensions }) => extensions?.code === 'UNAUTHENTICATED');
}

/** The active queries of one client whose last answer was that the session had ended. */
export interface RefusedQueries {
  /** Has to come first: later exchanges add what belongs to one session. */
  exchange: Exchange;
  /** Sends these queries again. */
  repeat: () => void;
}

/**
 * While the session is expired, refusals of queries are withheld: screens go on loading until the user has signed in
 * again. Mutations are not repeated; the user does that.
 */
export function createRefusedQueries(isExpired: () => boolean): RefusedQueries {
  const active = new Map<number, Operation>();
  const refused = new Set<number>();
  const { source: repetitions, next: send } = makeSubject<Operation>();

  function track(operation: Operation) {
    const { key, kind } = operation;
    refused.delete(key);
    if (kind === 'query') active.set(key, operation);
    else active.delete(key);
  }

  return {
    exchange:
      ({ forward }) =>
      (operations) =>
        pipe(
          merge([pipe(operations, tap(track)), repetitions]),
          forward,
          filter(({ operation: { key }, error }) => {
            if (!error || !active.has(key) || !isUnauthenticated(error)) return true;
            refused.add(key);
            return !isExpired();
          }),
        ),
    repeat() {
      const keys = [...refused];
      refused.clear();
      for (const key of keys) {
        const operation = active.get(key);
        if (!operation) continue;
        send(makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }));
      }
    },
  };
}
