import { useEffect, useSyncExternalStore } from 'react';
import { useLocation } from 'react-router';
import { matchPath } from '@/routing/paths';
import { type NavigationRecord, navigationRecords } from './records';

export function findRecord(pathname: string): NavigationRecord | undefined {
  return Object.values(navigationRecords).find(({ path }) => matchPath(path, pathname).match);
}

/** Returns the record of the open screen. */
export function useCurrentRecord(): NavigationRecord | undefined {
  return findRecord(useLocation().pathname);
}

// The name of the open record. The page sets it after loading, and the surrounding shell reads it.
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

/** Sets the record's name for titles, on pages whose URL contains only an ID. */
export function useRecordName(name: string | undefined): void {
  const { pathname } = useLocation();
  useEffect(() => {
    if (!name) return undefined;
    setNamed({ pathname, name });
    return () => setNamed(undefined);
  }, [pathname, name]);
}

/** URL parameters by which users know a record. */
const SPEAKING = ['deliveryId', 'customerName', 'driverId'] as const;

/** Returns the name of the record on the open page, if there is one. */
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
