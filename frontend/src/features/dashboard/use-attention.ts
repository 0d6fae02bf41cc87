import { useCallback, useMemo } from 'react';
import { deliveryChangedSubscription } from '@/data/use-delivery-changes';
import { useChanges } from '@/data/use-changes';
import { usePolling } from '@/data/use-polling';
import { useKept } from '@/data/use-kept';
import { useRecord } from '@/data/use-record';
import { filters as fields, standingViews } from '@/delivery-list/filters';
import type { Filter } from '@/list/filters-codec';
import type { ListCount, WhereFilter } from '@/list/resource';
import { toWhere } from '@/list/to-where';
import { attentionCountsQuery, lateDeliveriesQuery, type LateDelivery } from './queries';

/** Counting is more work than an analytics query, and these change by the minute. */
const POLL_MS = 30_000;
const PACE_MS = 3000;
const MOST_LATE = 8;
const NO_VARIABLES = {};

export const ATTENTION = ['late', 'unassigned', 'conflicts'] as const;
export type Attention = (typeof ATTENTION)[number];

export const attentionFilters = Object.fromEntries(
  ATTENTION.map((id) => [id, standingViews.find((view) => view.id === id)?.filters ?? []]),
) as Record<Attention, Filter[]>;

export interface AttentionState {
  counts: Record<Attention, ListCount> | undefined;
  late: readonly LateDelivery[] | undefined;
  error: unknown;
  retry: () => void;
}

/** What waits for somebody now: the standing views of the list, counted as the list counts them. */
export function useAttention(timeZone: string, now: Date): AttentionState {
  const where = useMemo(
    () =>
      Object.fromEntries(
        ATTENTION.map((id) => [id, toWhere(attentionFilters[id], timeZone, fields, now)]),
      ) as Record<Attention, WhereFilter[]>,
    [timeZone, now],
  );
  const counts = useRecord({
    document: attentionCountsQuery,
    variables: where,
    typenames: ['Delivery'],
    read: (data) => data,
  });
  const late = useRecord({
    document: lateDeliveriesQuery,
    variables: {
      page: {
        where: where.late,
        sort: [{ key: 'scheduledatetime', direction: 'asc' as const }],
        limit: MOST_LATE,
        offset: 0,
      },
    },
    typenames: ['Delivery'],
    read: ({ deliveries }) => deliveries,
  });
  const { refresh: refreshCounts } = counts;
  const { refresh: refreshLate } = late;
  const refresh = useCallback(() => {
    refreshCounts();
    refreshLate();
  }, [refreshCounts, refreshLate]);
  useChanges(deliveryChangedSubscription, NO_VARIABLES, refresh, { pace: PACE_MS });
  usePolling(refresh, POLL_MS);
  // Each minute asks anew what is late; until the answer is there, the last one stands.
  const shownCounts = useKept(counts.value ?? undefined, 'counts');
  const shownLate = useKept(late.value ?? undefined, 'late');
  return {
    counts: shownCounts,
    late: shownLate,
    error: counts.error ?? late.error,
    retry: () => {
      counts.retry();
      late.retry();
    },
  };
}
