// The positions of all drivers, stored outside of React, so that only visible drivers render again when a thousand
// drivers move every second.
import type { DriverLocation } from './queries';

/** A driver with the last position. Replaced by a new object on each change. */
export interface Located extends DriverLocation {
  /** Time of the position in milliseconds since the epoch. */
  at: number;
}

/** The comparison key of a driver ID, as on the server: an import keeps the spelling of its file. */
export const idKey = (driverId: string) => driverId.trim().normalize('NFKC').toLowerCase();

export interface LocationStore {
  /** Applies a batch of positions. Ignores a position that is older than the known one of its driver. */
  apply: (batch: readonly DriverLocation[]) => void;
  /** Finds a driver by ID, ignoring case. */
  get: (driverId: string) => Located | undefined;
  /** Returns all drivers sorted by name. Returns the same array until something changes. */
  all: () => readonly Located[];
  /** Calls the listener at most once per frame, whatever the number of batches. */
  subscribe: (listener: () => void) => () => void;
}

type Schedule = (run: () => void) => void;

const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/**
 * Runs a function in the frame after the next, since parsing a thousand positions fills the current frame. A hidden tab
 * gets no frames, so it uses a timer.
 */
function soon(run: () => void): void {
  if (document.hidden) setTimeout(run, 1000);
  else requestAnimationFrame(() => requestAnimationFrame(run));
}

export function createLocationStore(schedule: Schedule = soon): LocationStore {
  /** By `idKey`. */
  const drivers = new Map<string, Located>();
  const listeners = new Set<() => void>();
  let order: string[] = [];
  let sorted: readonly Located[] = [];
  let isScheduled = false;
  let isReordered = false;

  function publish() {
    isScheduled = false;
    if (isReordered) {
      order = [...drivers]
        .toSorted(([, a], [, b]) => byName.compare(a.name, b.name) || byName.compare(a.driverId, b.driverId))
        .map(([key]) => key);
      isReordered = false;
    }
    sorted = order.flatMap((key) => drivers.get(key) ?? []);
    for (const listener of listeners) listener();
  }

  function take(location: DriverLocation): boolean {
    const key = idKey(location.driverId);
    const known = drivers.get(key);
    const at = Date.parse(location.position.occurredAt);
    if (Number.isNaN(at)) return false;
    const isOlder = known !== undefined && at < known.at;
    const next: Located = isOlder
      ? { ...location, position: known.position, at: known.at }
      : { ...location, at };
    const isSame =
      known !== undefined &&
      known.at === next.at &&
      known.name === next.name &&
      known.status === next.status &&
      known.position.lat === next.position.lat &&
      known.position.lng === next.position.lng;
    if (isSame) return false;
    if (known?.name !== next.name) isReordered = true;
    drivers.set(key, next);
    return true;
  }

  return {
    apply(batch) {
      let isChanged = false;
      for (const location of batch) isChanged = take(location) || isChanged;
      if (!isChanged || isScheduled) return;
      isScheduled = true;
      schedule(publish);
    },
    get: (driverId) => drivers.get(idKey(driverId)),
    all: () => sorted,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
