import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { LocationStore } from '../location-store';
import type { TrailPoint } from './points';
import { NOTHING_READ, readOn } from './use-trail';

const RECENT_MS = 30 * 60_000;
/** Allows for device clocks that are slightly ahead. */
const AHEAD_MS = 60_000;
/** Minimum interval between reads, since a moving driver sends every second. */
const PACE_MS = 5000;
const NO_POINTS: readonly TrailPoint[] = [];

/**
 * Loads the trail of the last half hour, and reads on whenever the driver has moved. The location store alone is not
 * enough: of positions that a phone sends together, or that arrive while the browser is offline, it keeps only the last.
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
    let timer: ReturnType<typeof setTimeout> | undefined;
    let isReading = false;
    let begunAt = 0;
    /** Time of the driver's last position that the trail includes. */
    let readUntil: number | undefined;

    async function read() {
      timer = undefined;
      isReading = true;
      const now = Date.now();
      begunAt = now;
      const movedAt = store.get(own)?.at;
      const range = {
        driverId: own,
        from: new Date(now - RECENT_MS).toISOString(),
        // The device's clock, the server's and this one differ.
        to: new Date(Math.max(now, movedAt ?? 0) + AHEAD_MS).toISOString(),
      };
      try {
        const next = await readOn(client, range, part, signal);
        const points = next.trail.points.filter(({ at }) => at >= now - RECENT_MS);
        part = { ...next, trail: { ...next.trail, points } };
        readUntil = movedAt;
        setTrail({ driverId: own, points });
        isReading = false;
        follow();
      } catch {
        // What was read stays. The next change of the store tries again.
        readUntil = undefined;
        isReading = false;
      }
    }

    function follow() {
      if (signal.aborted || isReading || timer !== undefined || store.get(own)?.at === readUntil) return;
      timer = setTimeout(() => void read(), Math.max(0, begunAt + PACE_MS - Date.now()));
    }

    void read();
    const stop = store.subscribe(follow);
    return () => {
      controller.abort();
      clearTimeout(timer);
      stop();
    };
  }, [client, driverId, store]);

  return trail?.driverId === driverId ? (trail?.points ?? NO_POINTS) : NO_POINTS;
}
