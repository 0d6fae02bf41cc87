import { useEffect, useRef, useState } from 'react';
import { type Client, type CombinedError, useClient } from 'urql';
import { UNCACHED } from '@/data/client';
import { serverNow } from '@/data/server-clock';
import { deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { setVisibleTimeout } from '@/data/use-polling';
import { oneAtATime } from '../one-at-a-time';
import {
  driverPositionsQuery,
  trailDeliveriesQuery,
  type TrailDelivery,
  type TrailPosition,
} from '../queries';
import { eachOnce, NO_TRAIL, type Trail, withPositions } from './points';

interface Range {
  driverId: string;
  /** The time range: `from` is inclusive, `to` exclusive. */
  from: string;
  to: string;
}

/** Maximum page size of the server. */
const LIMIT = 100;
/** More deliveries than any driver has on one day. */
const MOST_DELIVERIES = 2000;
const NONE: readonly TrailDelivery[] = [];

/** Reads all deliveries of a period, page by page: those planned for it, and those that ended in it. */
async function readDeliveries(client: Client, { driverId, from, to }: Range): Promise<TrailDelivery[]> {
  const pageOf = (key: 'scheduledatetime' | 'deliverydatetime', offset: number) => ({
    where: [
      { key: 'driverId', operator: 'equals' as const, values: [driverId] },
      { key, operator: 'inDateRange' as const, values: [from, to] },
    ],
    sort: [{ key: 'scheduledatetime', direction: 'asc' as const }],
    limit: LIMIT,
    offset,
  });
  const found: (readonly TrailDelivery[])[] = [];
  for (let offset = 0; offset < MOST_DELIVERIES; offset += LIMIT) {
    const variables = {
      planned: pageOf('scheduledatetime', offset),
      ended: pageOf('deliverydatetime', offset),
    };
    // oxlint-disable-next-line no-await-in-loop -- the next page is needed only if this one is full
    const { data, error } = await client
      .query(trailDeliveriesQuery, variables, { requestPolicy: 'network-only' })
      .toPromise();
    if (!data) throw error ?? new Error('no answer');
    found.push(data.planned, data.ended);
    if (data.planned.length < LIMIT && data.ended.length < LIMIT) break;
  }
  return eachOnce(...found);
}

const REFRESH_MS = 15_000;

export interface TrailDeliveries {
  deliveries: readonly TrailDelivery[];
  /** Whether the last read failed, so that deliveries can be missing or outdated. */
  hasFailed: boolean;
  retry: () => void;
}

/**
 * Loads the deliveries that a driver had planned or completed in a period, and again when deliveries change. If that
 * fails, keeps the last ones and tries again.
 */
export function useTrailDeliveries({ driverId, from, to }: Range): TrailDeliveries {
  const client = useClient();
  const key = `${driverId} ${from} ${to}`;
  const [known, setKnown] = useState<{ key: string; deliveries: readonly TrailDelivery[]; hasFailed: boolean }>();
  const refresh = useRef<() => void>(undefined);

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let cancel: (() => void) | undefined;
    const own = `${driverId} ${from} ${to}`;

    const read = oneAtATime(signal, async () => {
      cancel?.();
      const deliveries = await readDeliveries(client, { driverId, from, to }).catch(() => undefined);
      if (signal.aborted) return;
      setKnown((last) => ({
        key: own,
        deliveries: deliveries ?? (last?.key === own ? last.deliveries : NONE),
        hasFailed: !deliveries,
      }));
      if (!deliveries) cancel = setVisibleTimeout(read, REFRESH_MS);
    });
    refresh.current = read;
    read();
    return () => {
      controller.abort();
      cancel?.();
    };
  }, [client, driverId, from, to]);

  const retry = () => refresh.current?.();
  useChanges(deliveriesChangedSubscription, {}, retry, { pace: 5000 });
  const isKnown = known?.key === key;
  return { deliveries: isKnown ? known.deliveries : NONE, hasFailed: isKnown && known.hasFailed, retry };
}

/** More positions would not change the visible line. The export has all of them. */
const MOST_POSITIONS = 100_000;
/** Interval of reading a growing day anew, because phones send positions of earlier hours when they are online again. */
const REREAD_MS = 5 * 60_000;
/** The server flags positions that are further ahead of its clock than this. */
const AHEAD_MS = 2 * 60_000;

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

interface Page {
  positions: readonly TrailPosition[];
  cursor: string | null;
  more: boolean;
}

async function readPage(client: Client, range: Range, after: string | undefined): Promise<Page> {
  const variables = { ...range, ...(after !== undefined && { after }) };
  const { data, error } = await client.query(driverPositionsQuery, variables, UNCACHED).toPromise();
  if (!data) throw error ?? new Error('no answer');
  return data.driverPositions;
}

/** The positions that were read so far. */
interface Part {
  trail: Trail;
  read: number;
  /** The cursor behind them. */
  cursor: string | undefined;
  isCut: boolean;
}

export const NOTHING_READ: Part = { trail: NO_TRAIL, read: 0, cursor: undefined, isCut: false };

/** Reads on from a part to the end of the range, and calls back after each page. */
export async function readOn(
  client: Client,
  range: Range,
  first: Part,
  signal: AbortSignal,
  onPage?: (part: Part) => void,
): Promise<Part> {
  let part = first;
  for (;;) {
    // oxlint-disable-next-line no-await-in-loop -- each page starts after the previous one
    const { positions, cursor, more } = await readPage(client, range, part.cursor);
    signal.throwIfAborted();
    const read = part.read + positions.length;
    part = {
      trail: positions.length > 0 ? withPositions(part.trail, positions) : part.trail,
      read,
      cursor: cursor ?? part.cursor,
      isCut: more && read >= MOST_POSITIONS,
    };
    onPage?.(part);
    if (!more || part.isCut) return part;
  }
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

/** The trail of a part, with the flagged positions of another. */
function withFlagged({ trail: { points, flagged } }: Part, other: Part): Trail {
  const all = { ...flagged };
  for (const [reason, count] of Object.entries(other.trail.flagged)) all[reason] = (all[reason] ?? 0) + count;
  return { points, flagged: all };
}

/**
 * Loads all positions of a driver in a period, page by page, and keeps polling until the period is over, while the tab is
 * visible. A poll asks for positions after the last one. It asks for none ahead of the clock, since a single one would hide
 * all that follow.
 */
export function useTrail({ driverId, from, to }: Range): TrailResult {
  const client = useClient();
  const [attempt, setAttempt] = useState(0);
  const key = `${driverId} ${from} ${to}`;
  const [known, setKnown] = useState(() => fresh(key));
  if (known.key !== key) setKnown(fresh(key));

  useEffect(() => {
    const controller = new AbortController();
    const { signal } = controller;
    let cancel: (() => void) | undefined;
    let state = fresh(`${driverId} ${from} ${to}`);
    let part = NOTHING_READ;
    /** Positions ahead of the clock, when the whole day was last read; they are flagged. */
    let ahead = NOTHING_READ;
    let wholeAt: number | undefined;
    const publish = (changes: Partial<Known>) => {
      state = { ...state, read: part.read, trail: withFlagged(part, ahead), ...changes };
      setKnown(state);
    };

    async function update() {
      const now = serverNow();
      const isOpen = Date.parse(to) > now + AHEAD_MS;
      const until = isOpen ? new Date(now + AHEAD_MS).toISOString() : to;
      const isAgain = wholeAt !== undefined && now - wholeAt >= REREAD_MS;
      const range = { driverId, from, to: until };
      part = await readOn(client, range, isAgain ? NOTHING_READ : part, signal, (page) => {
        // When a day is read again, what is shown stays until the end.
        if (isAgain) return;
        part = page;
        publish({});
      });
      if (wholeAt === undefined || isAgain) {
        ahead =
          isOpen && !part.isCut
            ? await readOn(client, { driverId, from: until, to }, NOTHING_READ, signal)
            : NOTHING_READ;
        wholeAt = now;
      }
      publish({ status: 'ready', isCut: part.isCut, error: undefined });
    }

    async function follow() {
      try {
        await update();
      } catch (error) {
        if (!signal.aborted) publish({ status: 'failed', error: error as CombinedError });
      }
      // The trail of a past day does not grow.
      if (signal.aborted || state.isCut || Date.parse(to) < serverNow()) return;
      // The server records who looks at positions, so a tab that nobody sees must not ask.
      cancel = setVisibleTimeout(() => void follow(), REFRESH_MS);
    }
    void follow();
    return () => {
      controller.abort();
      cancel?.();
    };
  }, [client, driverId, from, to, attempt]);

  const { trail, read, status, isCut, error } = known;
  return { trail, read, status, isCut, error, retry: () => setAttempt((count) => count + 1) };
}
