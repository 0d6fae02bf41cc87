import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useMemo, useState } from 'react';
import { type CombinedError, useQuery } from 'urql';
import { type QueryStatus, queryStatus } from './query-state';

/**
 * The value, or the last one known under the same key: urql lets go of its data as soon as reading
 * it again fails.
 */
export function useKept<Value>(value: Value | undefined, key: string): Value | undefined {
  const [kept, setKept] = useState<{ key: string; value: Value }>();
  if (value !== undefined && (kept?.value !== value || kept.key !== key)) setKept({ key, value });
  return value ?? (kept?.key === key ? kept.value : undefined);
}

export interface RecordResult<Value> {
  /** Undefined while nothing is known, null when the server knows of no such thing. */
  value: Value | null | undefined;
  error: CombinedError | undefined;
  status: QueryStatus;
  /** Reads it again because somebody asked for that. */
  retry: () => void;
  /** Reads it again by itself: for the time that passed, or a change made elsewhere. */
  refresh: () => void;
  /** What is shown was read before, and reading it again failed. */
  isStale: boolean;
}

interface RecordQuery<Data, Variables, Value> {
  document: TypedDocumentNode<Data, Variables>;
  variables: Variables;
  /** Changes of any of these read it again, also while the answer is empty. */
  typenames: readonly string[];
  read: (data: Data) => Value | null | undefined;
}

/** One record, and the one last read while reading it again fails. */
export function useRecord<Data, Variables extends object, Value>(
  query: RecordQuery<Data, Variables, Value>,
): RecordResult<Value> {
  const { document, variables, typenames, read } = query;
  const key = JSON.stringify(variables);
  const types = typenames.join(' ');
  const [result, execute] = useQuery<Data, Variables>({
    query: document,
    // By their text, as callers write them where they call.
    variables: useMemo(() => JSON.parse(key) as Variables, [key]),
    requestPolicy: 'cache-and-network',
    context: useMemo(() => ({ additionalTypenames: types.split(' ') }), [types]),
  });
  const isOwn = JSON.stringify(result.operation?.variables) === key;
  // An answer with an error has holes in it, which would say that there is no such thing.
  const data = useKept(isOwn && !result.error ? result.data : undefined, key);
  const value = data === undefined ? undefined : read(data);
  const error = isOwn ? result.error : undefined;

  // Of another record it is read for the first time.
  const [again, setAgain] = useState<{ key: string; why: 'refetch' | 'polling' }>();
  const readAgain = useCallback(
    (why: 'refetch' | 'polling') => {
      setAgain({ key, why });
      execute({ requestPolicy: 'network-only' });
    },
    [execute, key],
  );
  const retry = useCallback(() => readAgain('refetch'), [readAgain]);
  const refresh = useCallback(() => readAgain('polling'), [readAgain]);
  const status = queryStatus({
    isBusy: result.fetching || result.stale || !isOwn,
    isKnown: value !== undefined,
    isFailed: Boolean(error),
    again: again?.key === key ? again.why : undefined,
  });
  return {
    value,
    error,
    status,
    retry,
    refresh,
    isStale: Boolean(error && value && !result.fetching),
  };
}
