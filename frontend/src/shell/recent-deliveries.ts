import { useEffect, useMemo } from 'react';
import { useLocation } from 'react-router';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { graphql } from '@/data/graphql';
import { readStored, writeStored } from '@/lib/stored-json';
import { useCurrentRecord } from '@/navigation/current-record';
import { matchPath } from '@/routing/paths';
import type { FoundDelivery } from './use-palette-lookup';

const recentQuery = graphql(`
  query PaletteRecent($ids: [String!]!, $limit: Int!) {
    deliveries(
      page: { where: [{ key: "id", operator: "equals", values: $ids }], limit: $limit }
    ) {
      id
      customername
      deliverystatus
    }
  }
`);

/** What was open last, as it is now; what is there no more is left out, and all of it when asking fails. */
export function useRecentDeliveries(): FoundDelivery[] {
  const userId = useAuth().currentUser?.id;
  // The palette can be open before it is known who somebody is.
  const ids = useMemo(() => recentDeliveries(userId), [userId]);
  const [{ data }] = useQuery({
    query: recentQuery,
    variables: { ids, limit: RECENT_LIMIT },
    pause: ids.length === 0,
  });
  // An address may have spelled an id in another case.
  const found = new Map(data?.deliveries.map((delivery) => [delivery.id.toLowerCase(), delivery]));
  return ids.flatMap((id) => found.get(id.toLowerCase()) ?? []);
}

// The deliveries somebody had open last, to find them again in the palette. By account: several people
// may use one browser.


const RECENT_LIMIT = 5;
const NONE: string[] = [];
const keyOf = (userId: string) => `waybill.recent.${userId}`;

function parse(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value.filter((id): id is string => typeof id === 'string').slice(0, RECENT_LIMIT);
}

/** Ids of deliveries, the last one first. */
function recentDeliveries(userId: string | undefined): string[] {
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
