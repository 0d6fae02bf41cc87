import { useCallback, useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import { loadAnalytics, loadMeta, loadSql } from '@/analytics/client';
import type {
  AnalyticsMeta,
  AnalyticsQuery,
  AnalyticsResult,
  AnalyticsSql,
  MetaMember,
} from '@/analytics/query';
import { useAuth } from '@/auth/use-auth';
import { readStored, writeStored } from '@/lib/stored-json';
import { newUuid } from '@/lib/uuid';
import { draftOf, FIRST_DRAFT, formatQuery, MAX_QUERY, parseQuery, queryOf } from './draft';

export interface Members {
  measures: readonly MetaMember[];
  /** Without the times. */
  dimensions: readonly MetaMember[];
  times: readonly MetaMember[];
  titleOf: (name: string) => string;
}

function membersOf({ cubes }: AnalyticsMeta): Members {
  const all = cubes.flatMap(({ dimensions }) => dimensions);
  const measures = cubes.flatMap((cube) => cube.measures);
  const titles = new Map([...all, ...measures].map(({ name, title }) => [name, title]));
  return {
    measures,
    dimensions: all.filter(({ type }) => type !== 'time'),
    times: all.filter(({ type }) => type === 'time'),
    titleOf: (name) => titles.get(name) ?? name,
  };
}

/** What queries can be made of. */
export function useMeta() {
  const { getToken } = useAuth();
  const [members, setMembers] = useState<Members>();
  const [error, setError] = useState<unknown>();
  const [attempt, setAttempt] = useState(0);
  useEffect(() => {
    const controller = new AbortController();
    setError(undefined);
    loadMeta({ getToken, signal: controller.signal }).then(
      (meta) => setMembers(membersOf(meta)),
      (failed: unknown) => {
        if (!controller.signal.aborted) setError(failed);
      },
    );
    return () => controller.abort();
  }, [getToken, attempt]);
  const retry = useCallback(() => setAttempt((count) => count + 1), []);
  return { members, error, retry };
}

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
        const results = await loadAnalytics(query, { getToken, signal: controller.signal, inLab: true });
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

const MAX_TABS = 12;
const MAX_HISTORY = 50;

const tabSchema = v.object({
  id: v.string(),
  mode: v.picklist(['builder', 'json']),
  /** The query as text, in both modes. */
  text: v.pipe(v.string(), v.maxLength(MAX_QUERY)),
});
const entrySchema = v.object({
  at: v.number(),
  text: v.pipe(v.string(), v.maxLength(MAX_QUERY)),
  rows: v.nullable(v.number()),
  ms: v.number(),
});
const storedSchema = v.object({
  tabs: v.pipe(v.array(tabSchema), v.minLength(1), v.maxLength(MAX_TABS)),
  current: v.string(),
  history: v.pipe(v.array(entrySchema), v.maxLength(MAX_HISTORY)),
});

export type LabTab = v.InferOutput<typeof tabSchema>;
/** One run; without rows it failed. */
export type HistoryEntry = v.InferOutput<typeof entrySchema>;
type Stored = v.InferOutput<typeof storedSchema>;

function newTab(timeZone: string, text = formatQuery(queryOf(FIRST_DRAFT, timeZone))): LabTab {
  return { id: newUuid(), mode: draftOf(parseQuery(text)) ? 'builder' : 'json', text };
}

/** The open queries and those that were run, kept in this browser for the person who is signed in. */
export function useLab(timeZone: string) {
  const { currentUser } = useAuth();
  const key = `waybill.query-lab.${String(currentUser?.id ?? '')}`;
  const [state, setState] = useState<Stored>(() => {
    const first = newTab(timeZone);
    const stored = readStored(key, (value) => v.parse(storedSchema, value), {
      tabs: [first],
      current: first.id,
      history: [],
    });
    return stored;
  });
  const change = useCallback(
    (next: (latest: Stored) => Stored) =>
      setState((latest) => {
        const changed = next(latest);
        writeStored(key, changed);
        return changed;
      }),
    [key],
  );

  const open = useCallback(
    (text?: string) =>
      change((latest) => {
        const tab = newTab(timeZone, text);
        // Beyond the bound the oldest leaves.
        return { ...latest, tabs: [...latest.tabs, tab].slice(-MAX_TABS), current: tab.id };
      }),
    [change, timeZone],
  );
  const close = useCallback(
    (id: string) =>
      change((latest) => {
        const at = latest.tabs.findIndex((tab) => tab.id === id);
        const rest = latest.tabs.filter((tab) => tab.id !== id);
        const tabs = rest.length > 0 ? rest : [newTab(timeZone)];
        const next = tabs[Math.min(Math.max(0, at), tabs.length - 1)];
        return { ...latest, tabs, current: latest.current === id && next ? next.id : latest.current };
      }),
    [change, timeZone],
  );
  const choose = useCallback((id: string) => change((latest) => ({ ...latest, current: id })), [change]);
  const edit = useCallback(
    (id: string, changes: Partial<Pick<LabTab, 'mode' | 'text'>>) =>
      change((latest) => ({
        ...latest,
        tabs: latest.tabs.map((tab) => (tab.id === id ? { ...tab, ...changes } : tab)),
      })),
    [change],
  );
  const note = useCallback(
    (entry: HistoryEntry) =>
      change((latest) => ({
        ...latest,
        history: [entry, ...latest.history.filter(({ text }) => text !== entry.text)].slice(0, MAX_HISTORY),
      })),
    [change],
  );
  const forget = useCallback(() => change((latest) => ({ ...latest, history: [] })), [change]);

  const current = state.tabs.find(({ id }) => id === state.current) ?? state.tabs[0] ?? newTab(timeZone);
  return { tabs: state.tabs, current, history: state.history, open, close, choose, edit, note, forget };
}
