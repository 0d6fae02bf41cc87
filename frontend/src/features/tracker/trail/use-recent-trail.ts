import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import { serverNow } from '@/data/server-clock';
import { setVisibleTimeout } from '@/data/use-polling';
import type { LocationStore } from '../location-store';
import type { TrailPoint } from './points';
import { NOTHING_READ, readOn } from './use-trail';

const RECENT_MS = 30 * 60_000;
/** Allows for device clocks that are slightly ahead. */
const AHEAD_MS = 60_000;
/** Minimum interval between reads, since a moving driver sends every second. */
const PACE_MS = 5000;
/** Interval of reading the trail anew, because a phone may send positions that are older than its newest one. */
const REREAD_MS = 60_000;
const NO_POINTS: readonly TrailPoint[] = [];

/**
 * Loads the trail of the last half hour, reads on whenever the driver has moved, and reads it anew every minute. The
 * location store alone is not enough: of positions that a phone sends together, or that arrive while the browser is offline,
 * it keeps only the last.
 */
export function useRecentTrail(driverId: string | undefined, store: LocationStore): readonly TrailPoint[] {
  const client = useClient();
  const [trail, setTrail] = useState<{ driverId: string; points: readonly TrailPoint[] }>();

  useEffect(() => {
    if (driverId === undefined) return undefined;
    const own = driverId;
    const controller = new AbortController();
    const { signal } = controller;
    let part = NOTHING_READ;
    let cancel: (() => void) | undefined;
    let isReading = false;
    let begunAt = 0;
    /** When the whole trail was last read. */
    let wholeAt = 0;
    /** Time of the driver's last position that the trail includes. */
    let readUntil: number | undefined;

    async function read() {
      isReading = true;
      begunAt = Date.now();
      const isWhole = begunAt - wholeAt >= REREAD_MS;
      const now = serverNow();
      const movedAt = store.get(own)?.at;
      const range = {
        driverId: own,
        from: new Date(now - RECENT_MS).toISOString(),
        // The device's clock, the server's and this one differ.
        to: new Date(Math.max(now, movedAt ?? 0) + AHEAD_MS).toISOString(),
      };
      try {
        const next = await readOn(client, range, isWhole ? NOTHING_READ : part, signal);
        const points = next.trail.points.filter(({ at }) => at >= now - RECENT_MS);
        part = { ...next, trail: { ...next.trail, points } };
        readUntil = movedAt;
        if (isWhole) wholeAt = begunAt;
        setTrail({ driverId: own, points });
      } catch {
        // What was read stays, until it is tried again.
        readUntil = undefined;
      }
      isReading = false;
      follow();
    }

    function follow() {
      if (signal.aborted || isReading) return;
      const hasMoved = store.get(own)?.at !== readUntil;
      const dueAt = Math.max(begunAt + PACE_MS, hasMoved ? 0 : wholeAt + REREAD_MS);
      cancel?.();
      // The server records who looks at positions, so a tab that nobody sees must not ask.
      cancel = setVisibleTimeout(() => void read(), Math.max(0, dueAt - Date.now()));
    }

    void read();
    const stop = store.subscribe(follow);
    return () => {
      controller.abort();
      cancel?.();
      stop();
    };
  }, [client, driverId, store]);

  return trail?.driverId === driverId ? (trail?.points ?? NO_POINTS) : NO_POINTS;
}
