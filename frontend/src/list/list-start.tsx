import { createContext, type ReactNode, use, useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate, useNavigationType } from 'react-router';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import { listViewKey } from '@/lib/personal-storage';
import { readStored, writeStored } from '@/lib/stored-json';
import { isRestart, isReturn } from './list-origin';
import { type ListShape, readListState, writeListState } from './list-state';
import type { ListView } from './resource';
import { COLUMNS_PARAMETER } from './use-column-settings';

interface ListStartProps {
  resource: ListShape & { name: string; views: readonly ListView[] };
  /** ID of the view that opens on the first visit. */
  first: string;
  children: ReactNode;
}

const PARAMETERS = ['filters', 'sort', 'limit', 'offset', COLUMNS_PARAMETER];

// Per user, since a browser may be shared and the query of a saved view names customers and drivers.
const keyOf = (name: string, userId: string | undefined) => `${listViewKey(name)}.${userId}`;

const readView = (key: string, fallback: string) => readStored(key, (value) => v.parse(v.string(), value), fallback);

/** Returns the view or the query with which the list opens. */
function readLast(name: string, userId: string | undefined, first: string): string {
  // Earlier releases stored one view for all users of the browser. A view that everybody has still applies.
  const ofAll = readView(listViewKey(name), first);
  return readView(keyOf(name, userId), ofAll.startsWith('?') ? first : ofAll);
}

const RememberView = createContext<(view: string) => void>(() => undefined);

/**
 * Returns a function to remember the chosen view, so that the list opens on it next time: the ID of a view, or `?` and the
 * query of a saved one. Does nothing for a list without a start view.
 */
export function useRememberView(): (view: string) => void {
  return use(RememberView);
}

/**
 * If the URL has no list parameters, opens the view that was chosen last. Additional filters are not restored. In the open
 * list, only links of the navigation do that, since the user may have cleared the filters.
 */
export function ListStart({ resource, first, children }: ListStartProps) {
  const location = useLocation();
  const navigate = useNavigate();
  const isLink = isRestart(location.state);
  // The key of the first location of a visit is the default. A link of the navigation that loaded a newer build is followed
  // after the reload.
  const isBack = useNavigationType() === 'POP' && location.key !== 'default' && !isLink;
  const userId = useAuth().currentUser?.id;
  const key = keyOf(resource.name, userId);
  const remember = useCallback((view: string) => void writeStored(key, view), [key]);

  function startSearch(): string | undefined {
    const params = new URLSearchParams(location.search);
    if (isBack || PARAMETERS.some((name) => params.has(name))) return undefined;
    const last = readLast(resource.name, userId, first);
    if (last.startsWith('?')) return last.slice(1);
    const view = resource.views.find(({ id }) => id === last);
    if (!view || view.filters.length === 0) return undefined;
    const { state } = readListState(params, resource);
    return writeListState(params, { ...state, filters: view.filters }, resource).toString();
  }

  const [seen, setSeen] = useState<string>();
  const [start, setStart] = useState<string>();
  if (seen !== location.key) {
    const starts = seen === undefined ? !isReturn(location.state) : isLink;
    setSeen(location.key);
    setStart(starts ? startSearch() : undefined);
  }
  const search = start ?? (isLink ? location.search : undefined);
  useEffect(() => {
    // Drops the state as well, so that Back does not follow the link again.
    if (search !== undefined) void navigate({ search }, { replace: true });
  }, [search, navigate]);

  return start === undefined ? <RememberView value={remember}>{children}</RememberView> : null;
}
