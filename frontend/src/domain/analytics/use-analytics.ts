import { useCallback, useEffect, useEffectEvent, useRef, useState } from 'react';
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
  /** The first result of each query, in order; undefined until loaded. */
  results: AnalyticsResult[] | undefined;
  error: unknown;
  status: QueryStatus;
  /** When the results were read, in milliseconds since the epoch. */
  readAt: number | undefined;
  /** True when the shown results are from an earlier read and the last one failed. */
  isStale: boolean;
  /** Refetches at the request of the user. */
  retry: () => void;
  /** Cancels the request in flight. */
  cancel: () => void;
}

interface Options {
  /** Polling interval in milliseconds, while the tab is visible and the session lasts. */
  every?: number;
}

/**
 * Loads several analytics queries together, so that all results are from the same moment. The old results stay on
 * screen during a refetch and after a failed one. Does nothing without queries.
 */
export function useAnalytics(queries: readonly AnalyticsQuery[] | undefined, options: Options = {}): AnalyticsState {
  const { getToken, isExpired } = useAuth();
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
          // After one failure, the other results are not needed.
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

  const hasFailed = failed?.key === key;
  const resume = useEffectEvent(() => {
    if (!hasFailed && !running.current) return;
    setFailed(undefined);
    run('first');
  });
  // Reads again after the user has signed in again: without a session, every request fails.
  useEffect(() => {
    if (!isExpired) return undefined;
    return () => resume();
  }, [isExpired]);

  usePolling(() => {
    if (!running.current) run('polling');
  }, key && !isExpired ? options.every : undefined);

  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setBusy(undefined);
  }, []);
  const retry = useCallback(() => run('refetch'), [run]);

  const known = answered?.key === key ? answered : undefined;
  const error = hasFailed && !isExpired ? failed.error : undefined;
  const pending = hasFailed && isExpired ? 'first' : busy;
  return {
    results: known?.results,
    error,
    status: statusOf(pending, known !== undefined, error !== undefined),
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
