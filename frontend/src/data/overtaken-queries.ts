import { type Exchange, makeOperation, type Operation, type OperationResult } from '@urql/core';
import { pipe, tap } from 'wonka';

function collectTypenames(value: unknown, found: Set<string>): void {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, entry] of Object.entries(value)) {
    if (key === '__typename' && typeof entry === 'string') found.add(entry);
    else collectTypenames(entry, found);
  }
}

/** Returns the type names by which the document cache relates a result to others. */
function typenamesOf({ data, operation: { context } }: OperationResult): Set<string> {
  const found = new Set(context.additionalTypenames);
  collectTypenames(data, found);
  return found;
}

interface Flight {
  operation: Operation;
  /** Type names of the mutations that were answered since the query was sent. */
  changed: Set<string>;
}

/**
 * Reads a query again if a mutation of the same types was answered while it was in flight, since its own answer may be
 * older. The document cache doesn't: between a mutation and the next answer to a query, it has no types of that query.
 */
export const overtakenExchange: Exchange = ({ client, forward }) => {
  const flights = new Map<number, Flight>();

  function depart(operation: Operation) {
    const { key, kind } = operation;
    if (kind === 'query') flights.set(key, { operation, changed: new Set() });
    if (kind === 'teardown') flights.delete(key);
  }

  function arrive(result: OperationResult) {
    const { key, kind } = result.operation;
    if (kind === 'mutation' && flights.size > 0) {
      const changed = typenamesOf(result);
      for (const flight of flights.values()) for (const typename of changed) flight.changed.add(typename);
    }
    const flight = kind === 'query' ? flights.get(key) : undefined;
    if (!flight) return;
    flights.delete(key);
    const { operation, changed } = flight;
    if (changed.size === 0 || ![...typenamesOf(result)].some((typename) => changed.has(typename))) return;
    client.reexecuteOperation(
      makeOperation('query', operation, { ...operation.context, requestPolicy: 'network-only' }),
    );
  }

  return (operations) => pipe(operations, tap(depart), forward, tap(arrive));
};
