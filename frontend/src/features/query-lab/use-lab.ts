import { useCallback, useState } from 'react';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import { readStored, writeStored } from '@/lib/stored-json';
import { newUuid } from '@/lib/uuid';
import { draftOf, FIRST_DRAFT, formatQuery, MAX_QUERY, parseQuery, queryOf } from './draft';

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
