import { useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { matchPath } from '@/routing/paths';
import type { NavigationRecord } from './records';

// Known to the page once it has read its record, shown by the shell around it.
let named: { pathname: string; name: string } | undefined;
const listeners = new Set<() => void>();

function subscribe(listener: () => void) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function setNamed(next: typeof named) {
  named = next;
  for (const listener of listeners) listener();
}

/** Names the record that a page is about, for the titles; for pages whose address has only an id. */
export function useRecordName(name: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!name) return undefined;
    setNamed({ pathname, name });
    return () => setNamed(undefined);
  }, [pathname, name]);
}

/** Parameters of addresses that people know a record by. */
const SPEAKING = ['deliveryId', 'customerName', 'driverId'] as const;

/** Returns the name of the record that the open page is about, if it is about one. */
export function useRecordNameOf(record: NavigationRecord | undefined): string | undefined {
  const { pathname } = useLocation();
  const known = useSyncExternalStore(subscribe, () => named);
  if (known?.pathname === pathname) return known.name;
  const found = record && matchPath(record.path, pathname);
  if (!found?.match) return undefined;
  const { params = {} } = found;
  const key = SPEAKING.find((name) => params[name] !== undefined);
  if (key === undefined) return undefined;
  return [params[key], params.itemNumber].filter((part) => part !== undefined).join(' / ');
}
