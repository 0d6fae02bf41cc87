import { useEffect, useMemo, useState } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import { deliveryChangedSubscription, useChanges } from '@/data/use-changes';
import { useRecord } from '@/data/use-record';
import {
  driverPositionsQuery,
  trailDeliveriesQuery,
  type TrailDelivery,
  type TrailPosition,
} from '../queries';
import { eachOnce, NO_TRAIL, type Trail, withPositions } from './points';

/** Maximum page size of the server. */
const LIMIT = 100;
const NONE: readonly TrailDelivery[] = [];

/** Loads the deliveries that a driver had planned or completed in a period. */
export function useTrailDeliveries(driverId: string, from: string, to: string): readonly TrailDelivery[] {
  const of = (key: 'scheduledatetime' | 'deliverydatetime') => ({
    where: [
      { key: 'driverId', operator: 'equals' as const, values: [driverId] },
      { key, operator: 'inDateRange' as const, values: [from, to] },
    ],
    sort: [{ key: 'scheduledatetime', direction: 'asc' as const }],
    limit: LIMIT,
    offset: 0,
  });
  const { value, refresh } = useRecord({
    document: trailDeliveriesQuery,
    variables: { planned: of('scheduledatetime'), ended: of('deliverydatetime') },
    typenames: ['Delivery'],
    read: (data) => data,
  });
  useChanges(deliveryChangedSubscription, {}, refresh, { pace: 5000 });
  return useMemo(() => (value ? eachOnce(value.planned, value.ended) : NONE), [value]);
}

/** More positions would not change the visible line. The export has all of them. */
const MOST_POSITIONS = 100_000;
const REFRESH_MS = 15_000;

export interface TrailResult {
  trail: Trail;
  /** Number of positions loaded, including flagged ones. */
  read: number;
  status: 'reading' | 'ready' | 'failed';
  /** Whether positions are missing because the limit was reached. */
  isCut: boolean;
  error: CombinedError | undefined;
  retry: () => void;
}

interface Range {
  driverId: string;
  /** The time range: `from` is inclusive, `to` exclusive. */
  from: string;
  to: string;
}

interface Page {
  positions: readonly TrailPosition[];
  cursor: string | null;
  more: boolean;
}

async function readPage(client: Client, range: Range, after: string | undefined): Promise<Page> {
  const variables = { ...range, ...(after !== undefined && { after }) };
  const { data, error } = await client
    .query(driverPositionsQuery, variables, { requestPolicy: 'network-only' })
    .toPromise();
  if (!data) throw error ?? new Error('no answer');
  return data.driverPositions;
}

interface Known {
  key: string;
  trail: Trail;
  read: number;
  status: TrailResult['status'];
  isCut: boolean;
  error: CombinedError | undefined;
}

const fresh = (key: string): Known => ({
  key,
  trail: NO_TRAIL,
  read: 0,
  status: 'reading',
  isCut: false,
  error: undefined,
});

/** Loads all positions of a driver in a period, page by page, and keeps polling until the period is over. */
export function useTrail({ driverId, from, to }: Range): TrailResult {
  const client = useClient();
  const [attempt, setAttempt] = useState(0);
  const key = `${driverId} ${from} ${to}`;
  const [known, setKnown] = useState(() => fresh(key));
  if (known.key !== key) setKnown(fresh(key));

  useEffect(() => {
    let isOver = false;
    let cursor: string | undefined;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let state = fresh(`${driverId} ${from} ${to}`);
    const publish = (changes: Partial<Known>) => {
      state = { ...state, ...changes };
      setKnown(state);
    };

    async function readAll() {
      for (;;) {
        // oxlint-disable-next-line no-await-in-loop -- each page starts after the previous one
        const page = await readPage(client, { driverId, from, to }, cursor);
        if (isOver) return;
        cursor = page.cursor ?? cursor;
        const read = state.read + page.positions.length;
        if (page.positions.length > 0) publish({ read, trail: withPositions(state.trail, page.positions) });
        const isCut = page.more && read >= MOST_POSITIONS;
        if (isCut || !page.more) {
          publish({ status: 'ready', isCut, error: undefined });
          return;
        }
      }
    }

    async function follow() {
      try {
        await readAll();
      } catch (error) {
        if (!isOver) publish({ status: 'failed', error: error as CombinedError });
      }
      // The trail of a past day does not grow.
      if (isOver || state.isCut || Date.parse(to) < Date.now()) return;
      timer = setTimeout(() => void follow(), REFRESH_MS);
    }
    void follow();
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [client, driverId, from, to, attempt]);

  const { trail, read, status, isCut, error } = known;
  return { trail, read, status, isCut, error, retry: () => setAttempt((count) => count + 1) };
}
