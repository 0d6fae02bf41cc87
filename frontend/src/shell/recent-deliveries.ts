// The deliveries somebody had open last, to find them again in the palette. By account: several people
// may use one browser.
import { useEffect } from 'react';
import { useLocation } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import { readStored, writeStored } from '@/lib/stored-json';
import { useCurrentRecord } from '@/navigation/use-current-record';
import { matchPath } from '@/routing/paths';

export const RECENT_LIMIT = 5;
const NONE: string[] = [];
const keyOf = (userId: string) => `waybill.recent.${userId}`;

function parse(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value.filter((id): id is string => typeof id === 'string').slice(0, RECENT_LIMIT);
}

/** Ids of deliveries, the last one first. */
export function recentDeliveries(userId: string | undefined): string[] {
  return userId === undefined ? NONE : readStored(keyOf(userId), parse, NONE);
}

/** Notes the delivery whose page is open, if it is one of a delivery. */
export function useNoteRecent(): void {
  const userId = useAuth().currentUser?.id;
  const path = useCurrentRecord()?.path;
  const { pathname } = useLocation();
  const found = path === undefined ? undefined : matchPath(path, pathname);
  const deliveryId = found?.match ? found.params?.deliveryId : undefined;
  useEffect(() => {
    if (userId === undefined || typeof deliveryId !== 'string') return;
    const others = recentDeliveries(userId).filter((id) => id !== deliveryId);
    writeStored(keyOf(userId), [deliveryId, ...others].slice(0, RECENT_LIMIT));
  }, [userId, deliveryId]);
}
