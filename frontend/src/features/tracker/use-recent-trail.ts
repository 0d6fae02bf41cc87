import { useEffect, useState } from 'react';
import { useClient } from 'urql';
import type { LocationStore } from './location-store';
import { driverPositionsQuery } from './queries';

const RECENT_MS = 30 * 60_000;
/** A device whose clock runs a little ahead is still told of. */
const AHEAD_MS = 60_000;

interface TrailPoint {
  at: number;
  lng: number;
  lat: number;
}

const NOTHING: readonly TrailPoint[] = [];

/** The way of the last half hour, as it grows. */
export function useRecentTrail(
  driverId: string | undefined,
  store: LocationStore,
): readonly TrailPoint[] {
  const client = useClient();
  const [trail, setTrail] = useState<{ driverId: string; points: readonly TrailPoint[] }>();

  useEffect(() => {
    if (driverId === undefined) return undefined;
    const own = driverId;
    let isOver = false;
    let points: TrailPoint[] = [];
    const publish = () => setTrail({ driverId: own, points });

    function follow() {
      const driver = store.get(own);
      const last = points.at(-1);
      if (!driver || (last && last.at >= driver.at)) return;
      const { lat, lng } = driver.position;
      points = [...points.filter(({ at }) => at >= driver.at - RECENT_MS), { at: driver.at, lng, lat }];
      publish();
    }

    const now = Date.now();
    const variables = {
      driverId: own,
      from: new Date(now - RECENT_MS).toISOString(),
      to: new Date(now + AHEAD_MS).toISOString(),
    };
    void client
      .query(driverPositionsQuery, variables, { requestPolicy: 'network-only' })
      .toPromise()
      .then(({ data }) => {
        if (isOver || !data) return;
        points = data.driverPositions.positions
          .filter(({ valid }) => valid)
          .map(({ occurredAt, lng, lat }) => ({ at: Date.parse(occurredAt), lng, lat }));
        publish();
        follow();
      });
    const stop = store.subscribe(follow);
    return () => {
      isOver = true;
      stop();
    };
  }, [client, driverId, store]);

  return trail?.driverId === driverId ? (trail?.points ?? NOTHING) : NOTHING;
}
