// Where everybody is, outside of React: a thousand drivers move every second, and only what is on
// screen is drawn anew for that.
import type { DriverLocation } from './queries';

/** A driver with their last position. A new object whenever something of it changed. */
export interface Located extends DriverLocation {
  /** When the device was there, in milliseconds. */
  at: number;
}

export interface LocationStore {
  /** Takes a batch in. What is older than what is known moves nobody. */
  apply: (batch: readonly DriverLocation[]) => void;
  get: (driverId: string) => Located | undefined;
  /** By name. The same array until something changed. */
  all: () => readonly Located[];
  /** Told once a frame, however many batches came. */
  subscribe: (listener: () => void) => () => void;
}

type Schedule = (run: () => void) => void;

const byName = new Intl.Collator('en', { sensitivity: 'base', numeric: true });

/**
 * The frame after next: reading a thousand positions is enough for the one they came in. A frame of a
 * tab in the background never comes; a timer does.
 */
function soon(run: () => void): void {
  if (document.hidden) setTimeout(run, 1000);
  else requestAnimationFrame(() => requestAnimationFrame(run));
}

export function createLocationStore(schedule: Schedule = soon): LocationStore {
  const drivers = new Map<string, Located>();
  const listeners = new Set<() => void>();
  let order: string[] = [];
  let sorted: readonly Located[] = [];
  let isScheduled = false;
  let isReordered = false;

  function publish() {
    isScheduled = false;
    if (isReordered) {
      order = [...drivers.values()]
        .toSorted((a, b) => byName.compare(a.name, b.name) || byName.compare(a.driverId, b.driverId))
        .map(({ driverId }) => driverId);
      isReordered = false;
    }
    sorted = order.flatMap((driverId) => drivers.get(driverId) ?? []);
    for (const listener of listeners) listener();
  }

  function take(location: DriverLocation): boolean {
    const known = drivers.get(location.driverId);
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
    drivers.set(next.driverId, next);
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
    get: (driverId) => drivers.get(driverId),
    all: () => sorted,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
