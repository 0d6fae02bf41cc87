import { useState } from 'react';
import { useQuery } from 'urql';
import { useAuth } from '@/auth/use-auth';
import { graphql } from '@/data/graphql';
import { RECENT_LIMIT, recentDeliveries } from './recent-deliveries';
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
  const { currentUser } = useAuth();
  const [ids] = useState(() => recentDeliveries(currentUser?.id));
  const [{ data }] = useQuery({
    query: recentQuery,
    variables: { ids, limit: RECENT_LIMIT },
    pause: ids.length === 0,
  });
  // An address may have spelled an id in another case.
  const found = new Map(data?.deliveries.map((delivery) => [delivery.id.toLowerCase(), delivery]));
  return ids.flatMap((id) => found.get(id.toLowerCase()) ?? []);
}
