import { useCallback, useEffect, useRef, useState } from 'react';
import { loadAnalytics, loadSql } from '@/analytics/client';
import type { AnalyticsQuery, AnalyticsResult, AnalyticsSql } from '@/analytics/query';
import { useAuth } from '@/auth/use-auth';

export interface RunState {
  status: 'idle' | 'running' | 'done' | 'failed' | 'cancelled';
  query?: AnalyticsQuery | AnalyticsQuery[];
  results?: AnalyticsResult[];
  error?: unknown;
  /** When it began, and how long it took, in milliseconds. */
  at?: number;
  ms?: number;
}

type Asked = AnalyticsQuery | AnalyticsQuery[];
const IDLE: RunState = { status: 'idle' };

/** Runs queries, one at a time in each tab. */
export function useRun(onEnd: (rows: number | null, ms: number) => void) {
  const { getToken } = useAuth();
  const [state, setState] = useState<RunState>(IDLE);
  const running = useRef<AbortController>(undefined);
  const ended = useRef(onEnd);
  useEffect(() => {
    ended.current = onEnd;
  });
  useEffect(() => () => running.current?.abort(), []);

  const run = useCallback(
    async (query: Asked) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const at = Date.now();
      setState((latest) => ({ ...latest, status: 'running', at }));
      try {
        const results = await loadAnalytics(query, { getToken, signal: controller.signal });
        if (running.current !== controller) return;
        const ms = Date.now() - at;
        setState({ status: 'done', query, results, at, ms });
        ended.current(results.reduce((sum, { data }) => sum + data.length, 0), ms);
      } catch (error) {
        if (running.current !== controller) return;
        setState({ status: 'failed', query, error, at, ms: Date.now() - at });
        ended.current(null, Date.now() - at);
      }
    },
    [getToken],
  );
  const cancel = useCallback(() => {
    running.current?.abort();
    running.current = undefined;
    setState((latest) => ({ ...latest, status: 'cancelled' }));
  }, []);
  return { state, run, cancel };
}

export interface SqlState {
  sql?: AnalyticsSql;
  error?: unknown;
}

/** The statement behind a query, asked for when somebody looks at it. */
export function useSql(query: Asked | undefined): SqlState {
  const { getToken } = useAuth();
  const [state, setState] = useState<SqlState>({});
  useEffect(() => {
    setState({});
    if (!query) return undefined;
    const controller = new AbortController();
    loadSql(query, { getToken, signal: controller.signal }).then(
      (sql) => setState({ sql }),
      (error: unknown) => {
        if (!controller.signal.aborted) setState({ error });
      },
    );
    return () => controller.abort();
  }, [query, getToken]);
  return state;
}
