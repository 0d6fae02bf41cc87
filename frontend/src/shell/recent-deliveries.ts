import { useEffect, useMemo } from 'react';
import { useLocation } from 'react-router';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { graphql } from '@/data/graphql';
import { personalKeys } from '@/lib/personal-storage';
import { readStored, writeStored } from '@/lib/stored-json';
import { matchPath } from '@/routing/paths';
import { useCurrentRecord } from './current-record';
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

/** Reads the recently opened deliveries; deleted ones are skipped, and a failure returns none. */
export function useRecentDeliveries(): FoundDelivery[] {
  const userId = useAuth().currentUser?.id;
  // The palette can open before the user is loaded.
  const ids = useMemo(() => recentDeliveries(userId), [userId]);
  const [{ data }] = useQuery({
    query: recentQuery,
    variables: { ids, limit: RECENT_LIMIT },
    pause: ids.length === 0,
  });
  // The stored ID is from a URL and may differ in case from the delivery's ID.
  const found = new Map(data?.deliveries.map((delivery) => [delivery.id.toLowerCase(), delivery]));
  return ids.flatMap((id) => found.get(id.toLowerCase()) ?? []);
}

// Recently opened deliveries for the palette, per user since a browser may be shared.

const RECENT_LIMIT = 5;
const NONE: string[] = [];
const keyOf = (userId: string) => personalKeys.recent + userId;

function parse(value: unknown): string[] {
  if (!Array.isArray(value)) throw new TypeError('not a list');
  return value.filter((id): id is string => typeof id === 'string').slice(0, RECENT_LIMIT);
}

/** Returns delivery ids, latest first. */
function recentDeliveries(userId: string | undefined): string[] {
  return userId === undefined ? NONE : readStored(keyOf(userId), parse, NONE);
}

/** Records the delivery on the open page, if there is one. */
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
