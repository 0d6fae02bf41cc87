import { useCallback, useEffect, useRef, useState } from 'react';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import { loadAnalytics, loadMeta, loadSavedQuery, loadSql } from '@/domain/analytics/client';
import type {
  AnalyticsMeta,
  AnalyticsQuery,
  AnalyticsResult,
  AnalyticsSql,
  MetaMember,
} from '@/domain/analytics/query';
import { personalKeys } from '@/lib/personal-storage';
import { readStored, writeStored } from '@/lib/stored-json';
import { newUuid } from '@/lib/uuid';
import { draftOf, firstDraft, formatQuery, MAX_QUERY, parseQuery, queryOf } from './draft';
import type { SavedQuery } from './use-saved-queries';

export interface Members {
  measures: readonly MetaMember[];
  /** All dimensions except time dimensions, which are in `times`. */
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

/** Loads the cubes and members that can be queried. */
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
  /** Start of the run in milliseconds since the epoch. `ms` is its duration in milliseconds. */
  at?: number;
  ms?: number;
}

type Asked = AnalyticsQuery | AnalyticsQuery[];
/** A saved query by its id. */
interface SavedAsked {
  savedQuery: string;
}
const IDLE: RunState = { status: 'idle' };

/** Runs queries, one at a time per tab. */
export function useRun() {
  const { getToken } = useAuth();
  const [state, setState] = useState<RunState>(IDLE);
  const running = useRef<AbortController>(undefined);
  useEffect(
    () => () => {
      running.current?.abort();
      // Otherwise the aborted run would be recorded as failed.
      running.current = undefined;
    },
    [],
  );

  const run = useCallback(
    async (asked: Asked | SavedAsked, onEnd?: (rows: number | null, ms: number) => void) => {
      running.current?.abort();
      const controller = new AbortController();
      running.current = controller;
      const at = Date.now();
      const query = 'savedQuery' in asked ? undefined : asked;
      setState((latest) => ({ ...latest, status: 'running', at }));
      try {
        const context = { getToken, signal: controller.signal, inLab: true };
        const results = await ('savedQuery' in asked ? loadSavedQuery(asked.savedQuery, context) : loadAnalytics(asked, context));
        if (running.current !== controller) return;
        const ms = Date.now() - at;
        setState({ status: 'done', query, results, at, ms });
        onEnd?.(results.reduce((sum, { data }) => sum + data.length, 0), ms);
      } catch (error) {
        if (running.current !== controller) return;
        setState({ status: 'failed', query, error, at, ms: Date.now() - at });
        onEnd?.(null, Date.now() - at);
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

/** Loads the SQL of a query on demand. */
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

/** The maximum number of open queries. */
export const MAX_TABS = 12;
const MAX_HISTORY = 50;

const tabSchema = v.object({
  id: v.string(),
  mode: v.picklist(['builder', 'json']),
  /** The query as JSON, whether it was built or typed. */
  text: v.pipe(v.string(), v.maxLength(MAX_QUERY)),
  /** The saved query that is open in this tab. If somebody else shares it, `text` is empty. */
  saved: v.optional(v.object({ id: v.string(), name: v.string(), isOwn: v.boolean() })),
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
/** Undefined in `saved` makes the tab an unsaved query. */
export type TabChanges = Partial<Pick<LabTab, 'mode' | 'text'> & { saved: TabSaved | undefined }>;
/** One run; null rows mean that it failed. */
export type HistoryEntry = v.InferOutput<typeof entrySchema>;
type Stored = v.InferOutput<typeof storedSchema>;

export type TabSaved = NonNullable<LabTab['saved']>;

function read(key: string, fallback: Stored): Stored {
  return readStored(key, (value) => v.parse(storedSchema, value), fallback);
}

const firstText = (timeZone: string) => formatQuery(queryOf(firstDraft(timeZone)));

function newTab(timeZone: string, text = firstText(timeZone), saved?: TabSaved): LabTab {
  return { id: newUuid(), mode: draftOf(parseQuery(text)) ? 'builder' : 'json', text, ...(saved && { saved }) };
}

type SavedTexts = readonly Pick<SavedQuery, 'id' | 'text'>[];

/** Whether a query can be closed without loss: it is new, was run, or is saved as it stands. */
function isExpendable({ text, saved }: LabTab, history: Stored['history'], queries: SavedTexts, timeZone: string): boolean {
  if (saved?.isOwn === false || text === firstText(timeZone) || history.some((entry) => entry.text === text)) return true;
  return saved !== undefined && queries.some((query) => query.id === saved.id && query.text === text);
}

/** Adds what other browser tabs have stored to the state of this one. Its own queries stay as they are on its screen. */
function merge(state: Stored, stored: Stored, closed: ReadonlySet<string>): Stored {
  const own = new Map(state.tabs.map((tab) => [tab.id, tab]));
  const others = stored.tabs.filter(({ id }) => !own.has(id) && !closed.has(id));
  // At the limit the oldest are left out.
  const taken = new Set(others.slice(Math.max(0, others.length - (MAX_TABS - own.size))));
  const known = new Set(stored.tabs.map(({ id }) => id));
  return {
    tabs: [
      ...stored.tabs.flatMap((tab) => own.get(tab.id) ?? (taken.has(tab) ? tab : [])),
      ...state.tabs.filter(({ id }) => !known.has(id)),
    ],
    current: state.current,
    history: stored.history,
  };
}

/** Before the saved queries have loaded, none of them counts as saved. */
const NOT_LOADED: SavedTexts = [];

/**
 * The open queries and the history, stored in this browser per user until the sign-out. Browser tabs share what is stored.
 * `queries` are the saved queries.
 */
export function useLab(timeZone: string, queries = NOT_LOADED) {
  const { currentUser } = useAuth();
  const key = personalKeys.queryLab + String(currentUser?.id ?? '');
  const [state, setState] = useState<Stored>(() => {
    const first = newTab(timeZone);
    return read(key, { tabs: [first], current: first.id, history: [] });
  });
  // In a ref, so that changes that follow each other before the next render build on each other.
  const latest = useRef(state);
  /** The queries closed in this browser tab. Another one that still has them stores them again. */
  const closed = useRef(new Set<string>());
  /** False if storage was full or blocked. */
  const isStored = useRef(true);
  const change = useCallback(
    (next: (merged: Stored) => Stored) => {
      const stored = read(key, latest.current);
      // Every run is stored at once, so the stored history has the runs of this browser tab, too, unless another one
      // cleared them.
      const { history } = isStored.current ? stored : latest.current;
      const merged = merge(latest.current, { ...stored, history }, closed.current);
      const changed = next(merged);
      for (const { id } of merged.tabs) if (!changed.tabs.some((tab) => tab.id === id)) closed.current.add(id);
      latest.current = changed;
      setState(changed);
      // A query that did not change here may have changed in another browser tab, and is stored as that one left it.
      const toStore = (tab: LabTab) => (merged.tabs.includes(tab) && stored.tabs.find(({ id }) => id === tab.id)) || tab;
      isStored.current = writeStored(key, { ...changed, tabs: changed.tabs.map(toStore) });
    },
    [key],
  );

  /** Opens a query. Returns false if the maximum is open and none of them can be closed without loss. */
  const open = useCallback(
    (text?: string, saved?: TabSaved): boolean => {
      let isOpen = true;
      change((latest) => {
        const { tabs, history } = latest;
        const known = saved && tabs.find((tab) => tab.saved?.id === saved.id);
        if (known) return { ...latest, current: known.id };
        const isFull = tabs.length >= MAX_TABS;
        const expendable = isFull ? tabs.find((tab) => isExpendable(tab, history, queries, timeZone)) : undefined;
        isOpen = !isFull || expendable !== undefined;
        if (!isOpen) return latest;
        const tab = newTab(timeZone, text, saved);
        return { ...latest, tabs: [...tabs.filter((other) => other !== expendable), tab], current: tab.id };
      });
      return isOpen;
    },
    [change, queries, timeZone],
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
    (id: string, changes: TabChanges) =>
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

  /** Whether a sign-out would lose an open query. The history ends, too, so it does not matter whether the query was run. */
  const hasUnsaved = state.tabs.some((tab) => !isExpendable(tab, [], queries, timeZone));
  const current = state.tabs.find(({ id }) => id === state.current) ?? state.tabs[0] ?? newTab(timeZone);
  return { tabs: state.tabs, current, history: state.history, hasUnsaved, open, close, choose, edit, note, forget };
}
