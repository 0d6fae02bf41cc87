import { type ReactNode, useCallback, useEffect, useState } from 'react';
import { useLocation, useNavigate } from 'react-router';
import * as v from 'valibot';
import { useAuth } from '@/auth/use-auth';
import { readStored, writeStored } from '@/lib/stored-json';
import { isReturn } from './list-origin';
import { activeView, type ListShape, readListState, writeListState } from './list-state';
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
const keyOf = (name: string, userId: string | undefined) => `waybill.list.${name}.view.${userId}`;

const readView = (key: string, fallback: string) => readStored(key, (value) => v.parse(v.string(), value), fallback);

/** Returns the view or the query with which the list opens. */
function readLast(name: string, userId: string | undefined, first: string): string {
  // Earlier releases stored one view for all users of the browser. A view that everybody has still applies.
  const ofAll = readView(`waybill.list.${name}.view`, first);
  return readView(keyOf(name, userId), ofAll.startsWith('?') ? first : ofAll);
}

/** Returns a function to remember the query of a saved view, so that the list opens with it next time. */
export function useRememberAddress(name: string): (search: string) => void {
  const userId = useAuth().currentUser?.id;
  return useCallback((search) => void writeStored(keyOf(name, userId), `?${search}`), [name, userId]);
}

/** If the URL has no list parameters, opens the view that was used last. Additional filters are not restored. */
export function ListStart({ resource, first, children }: ListStartProps) {
  const location = useLocation();
  const navigate = useNavigate();
  const params = new URLSearchParams(location.search);
  const isOpen = PARAMETERS.some((name) => params.has(name));
  const userId = useAuth().currentUser?.id;
  const key = keyOf(resource.name, userId);

  const [start, setStart] = useState(() => {
    if (isOpen || isReturn(location.state)) return undefined;
    const last = readLast(resource.name, userId, first);
    if (last.startsWith('?')) return last.slice(1);
    const view = resource.views.find(({ id }) => id === last);
    if (!view || view.filters.length === 0) return undefined;
    const { state } = readListState(params, resource);
    return writeListState(params, { ...state, filters: view.filters }, resource).toString();
  });
  useEffect(() => {
    if (start === undefined) return;
    if (isOpen) setStart(undefined);
    else void navigate({ search: start }, { replace: true, state: location.state as unknown });
  }, [start, isOpen, navigate, location.state]);

  const { filters } = readListState(params, resource).state;
  const view = activeView(filters, resource.views);
  const isSaved = params.has(COLUMNS_PARAMETER);
  const looked = !isSaved && view && view.filters.length === filters.length ? view.id : undefined;
  useEffect(() => {
    if (start === undefined && looked) writeStored(key, looked);
  }, [start, looked, key]);

  return start !== undefined && !isOpen ? null : children;
}
