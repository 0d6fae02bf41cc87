import type { TypedDocumentNode } from '@urql/core';
import { useCallback, useEffect, useMemo, useState } from 'react';
import { type CombinedError, useQuery } from 'urql';
import { type QueryStatus, queryStatus } from './query-state';
import { useRefresh } from './use-refresh';

/**
 * Returns the value, or the last value with the same key, because urql drops the data of a query when a refetch
 * fails.
 */
export function usePreviousData<Value>(value: Value | undefined, key: string): Value | undefined {
  const [kept, setKept] = useState<{ key: string; value: Value }>();
  if (value !== undefined && (kept?.value !== value || kept.key !== key)) setKept({ key, value });
  return value ?? (kept?.key === key ? kept.value : undefined);
}

/** When each value was first seen, in milliseconds since the epoch. From the cache comes the same object once more. */
const readTimes = new WeakMap<object, number>();

/**
 * Returns when the value was read from the server, in milliseconds since the epoch. Missing values do not count. The value
 * has to be part of the response itself.
 */
export function useReadAt(value: unknown): number | undefined {
  const [readAt, setReadAt] = useState<number>();
  useEffect(() => {
    if (typeof value !== 'object' || value === null) return;
    const at = readTimes.get(value) ?? Date.now();
    readTimes.set(value, at);
    setReadAt(at);
  }, [value]);
  return readAt;
}

export interface RecordResult<Value> {
  /** Identifies the record or the list that the value belongs to. */
  key: string;
  /** Undefined until loaded, null if it does not exist. */
  value: Value | null | undefined;
  error: CombinedError | undefined;
  status: QueryStatus;
  /** Refetches at the request of the user. */
  retry: () => void;
  /** Refetches without a request of the user: on a timer, or after a change made elsewhere. */
  refresh: () => void;
  /** True when the shown value is from an earlier read and the last one failed. */
  isStale: boolean;
}

interface RecordQuery<Data, Variables, Value> {
  document: TypedDocumentNode<Data, Variables>;
  variables: Variables;
  /** GraphQL types. A mutation that returns one of them causes a refetch, even while there is no value. */
  typenames: readonly string[];
  read: (data: Data) => Value | null | undefined;
  /**
   * For one page of several: names the list that the page belongs to. While a page loads, the page before stays on
   * screen; once it has failed, it does not, because its rows would pass for those of the new page.
   */
  pageOf?: string;
  /** While true, nothing is read. */
  pause?: boolean;
}

/** Reads one record or one page of records, and keeps the last value when a refetch fails. */
export function useRecord<Data, Variables extends object, Value>(
  query: RecordQuery<Data, Variables, Value>,
): RecordResult<Value> {
  const { document, variables, typenames, read, pause = false } = query;
  const key = JSON.stringify(variables);
  const list = query.pageOf ?? key;
  const types = typenames.join(' ');
  const [result, execute] = useQuery<Data, Variables>({
    query: document,
    // Compared by content: callers pass a new object on each render.
    variables: useMemo(() => JSON.parse(key) as Variables, [key]),
    pause,
    requestPolicy: 'cache-and-network',
    context: useMemo(() => ({ additionalTypenames: types.split(' ') }), [types]),
  });
  const isOwn = JSON.stringify(result.operation?.variables) === key;
  // A response with errors contains nulls, which do not mean that the record is missing. During the next request, urql
  // keeps these nulls, but not the errors.
  const isAnswer = isOwn && !result.fetching;
  const answered = isAnswer && !result.error ? result.data : undefined;
  const own = usePreviousData(answered, key);
  const latest = usePreviousData(answered, list);
  const hasFailed = usePreviousData(isAnswer ? Boolean(result.error) : undefined, key);
  const data = hasFailed ? own : latest;
  const value = data === undefined ? undefined : read(data);
  const error = isOwn ? result.error : undefined;

  // Kept with the key of the record, so that the first read of another record does not count as a repetition.
  const [again, setAgain] = useState<{ key: string; why: 'refetch' | 'polling' }>();
  const readAgain = useCallback(
    (why: 'refetch' | 'polling') => {
      // urql would send a paused query.
      if (pause) return;
      setAgain({ key, why });
      execute({ requestPolicy: 'network-only' });
    },
    [execute, key, pause],
  );
  const retry = useCallback(() => readAgain('refetch'), [readAgain]);
  const refresh = useRefresh(result, () => readAgain('polling'));
  const status = queryStatus({
    isBusy: result.fetching || result.stale || !isOwn,
    isKnown: value !== undefined,
    isFailed: Boolean(error),
    again: again?.key === key ? again.why : undefined,
  });
  return {
    key: list,
    value,
    error,
    status,
    retry,
    refresh,
    isStale: Boolean(error && value && !result.fetching),
  };
}
