// Around the document cache, which by itself keeps every answer for as long as the session lasts.
import { type Exchange, makeOperation, type Operation, type OperationResult } from '@urql/core';
import { makeSubject, map, merge, pipe, tap } from 'wonka';

/** How long an answer outlives the last screen that showed it. */
const UNWATCHED_MS = 30_000;

const markOf = ({ key }: Operation) => `unwatched ${key}`;

/** A type of its own for each query, so that the cache can be told to let go of just that one. */
function marked(operation: Operation): Operation {
  if (operation.kind !== 'query') return operation;
  const { context } = operation;
  const additionalTypenames = [...(context.additionalTypenames ?? []), markOf(operation)];
  return makeOperation('query', operation, { ...context, additionalTypenames });
}

/** What the cache takes for a change of that type. Nobody watches the query, so nothing is read anew. */
function dropping(operation: Operation): OperationResult {
  const context = { ...operation.context, additionalTypenames: [markOf(operation)] };
  return {
    operation: makeOperation('mutation', operation, context),
    data: null,
    stale: false,
    hasNext: false,
  };
}

export function dropUnwatched(cache: Exchange): Exchange {
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
