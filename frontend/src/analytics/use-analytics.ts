import { useCallback, useEffect, useRef, useState } from 'react';
import { useAuth } from '@/auth/use-auth';
import type { QueryStatus } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { loadAnalytics } from './client';
import type { AnalyticsQuery, AnalyticsResult } from './query';

interface Answered {
  key: string;
  results: AnalyticsResult[];
  at: number;
}

export interface AnalyticsState {
  /** The first result of each query, in their order; undefined while nothing is known. */
  results: AnalyticsResult[] | undefined;
  error: unknown;
  status: QueryStatus;
  /** When the results were read, in milliseconds. */
  readAt: number | undefined;
  /** What is shown was read before, and reading it again failed. */
  isStale: boolean;
  /** Reads them again because somebody asked for that. */
  retry: () => void;
  /** Gives up what is being read. */
  cancel: () => void;
}

interface Options {
  /** Reads them again every so many milliseconds while somebody looks. */
  every?: number;
}

/**
 * Results of analytics queries, read together: all are of one moment or none is shown. What was read last stays
 * on screen while it is read again, and when that fails. Given nothing, it asks nothing.
 */
export function useAnalytics(queries: readonly AnalyticsQuery[] | undefined, options: Options = {}): AnalyticsState {
  const { getToken } = useAuth();
  const key = queries ? JSON.stringify(queries) : '';
  const [answered, setAnswered] = useState<Answered>();
  const [failed, setFailed] = useState<{ key: string; error: unknown }>();
  const [busy, setBusy] = useState<'first' | 'refetch' | 'polling'>();
  const running = useRef<AbortController>(undefined);

  const run = useCallback(
    (why: 'first' | 'refetch' | 'polling') => {
      running.current?.abort();
      if (!key) return;
      const controller = new AbortController();
      running.current = controller;
      setBusy(why);
      const context = { getToken, signal: controller.signal };
      const all = (JSON.parse(key) as AnalyticsQuery[]).map((query) => loadAnalytics(query, context));
      const settle = (apply: () => void) => {
        if (running.current !== controller) return;
        running.current = undefined;
        setBusy(undefined);
        apply();
      };
      Promise.all(all).then(
        (found) =>
          settle(() => {
            setAnswered({ key, results: found.flatMap(([first]) => first ?? []), at: Date.now() });
            setFailed(undefined);
          }),
        (error: unknown) => {
          // One that failed needs no answer to the others.
          controller.abort();
          settle(() => setFailed({ key, error }));
        },
      );
    },
    [key, getToken],
  );

  useEffect(() => {
    run('first');
    return () => {
      running.current?.abort();
      running.current = undefined;
    };
  }, [run]);

  usePolling(() => {
    if (!running.current) run('polling');
  }, key ? options.every : undefined);

  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setBusy(undefined);
  }, []);
  const retry = useCallback(() => run('refetch'), [run]);

  const known = answered?.key === key ? answered : undefined;
  const error = failed?.key === key ? failed.error : undefined;
  return {
    results: known?.results,
    error,
    status: statusOf(busy, known !== undefined, error !== undefined),
    readAt: known?.at,
    isStale: Boolean(known && error),
    retry,
    cancel,
  };
}

function statusOf(busy: 'first' | 'refetch' | 'polling' | undefined, known: boolean, failed: boolean): QueryStatus {
  if (busy === 'first') return known ? 'refetch' : 'loading';
  if (busy) return known || failed ? busy : 'loading';
  if (failed) return 'error';
  return known ? 'ready' : 'loading';
}
