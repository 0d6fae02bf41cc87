import { DRIVER_STATES, type DriverState, driverState, type Freshness } from './freshness';
import { idKey, type Located } from './location-store';

interface Wanted {
  /** Part of a name, from the quick search. */
  named: string;
  /** Part of a name or ID, from the search box beside the map. */
  text: string;
  /** IDs of drivers with a delivery whose ID contains the text, as the deliveries spell them. */
  withDelivery: ReadonlySet<string>;
}

const fold = (text: string) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Returns the drivers that match. Without a search, returns `all` itself. */
export function matching(all: readonly Located[], wanted: Wanted): readonly Located[] {
  const [named, text] = [fold(wanted.named), fold(wanted.text)];
  if (named === '' && text === '') return all;
  const withDelivery = new Set([...wanted.withDelivery].map(idKey));
  return all.filter(({ driverId, name }) => {
    const own = fold(name);
    if (!own.includes(named)) return false;
    return own.includes(text) || fold(driverId).includes(text) || withDelivery.has(idKey(driverId));
  });
}

const HOUR = 3_600_000;
/** Positions of the last six hours always count as today's, because night shifts continue after midnight. */
const NIGHT_MS = 6 * HOUR;
const STEP_MS = 60_000;

/**
 * Returns the instant (in milliseconds) before which a position counts as one from an earlier day. It changes at most
 * once a minute. Never later than `staleMs` ago, so that only offline drivers are left out.
 */
export function quietBefore(now: number, startOfToday: number, staleMs: number): number {
  return Math.min(startOfToday, Math.floor((now - Math.max(NIGHT_MS, staleMs)) / STEP_MS) * STEP_MS);
}

/** Counts the drivers per state. */
export function countStates(
  drivers: readonly Located[],
  now: number,
  freshness: Freshness,
): Record<DriverState, number> {
  const counts = Object.fromEntries(DRIVER_STATES.map((state) => [state, 0])) as Record<DriverState, number>;
  for (const { position, at } of drivers) counts[driverState(position, at, now, freshness)] += 1;
  return counts;
}

/** Sorts drivers by state, moving first; the order within a state is kept. */
export function byState(
  drivers: readonly Located[],
  now: number,
  freshness: Freshness,
): readonly Located[] {
  const groups = new Map(DRIVER_STATES.map((state) => [state, [] as Located[]]));
  for (const driver of drivers) {
    groups.get(driverState(driver.position, driver.at, now, freshness))?.push(driver);
  }
  return [...groups.values()].flat();
}

/** Returns driver IDs in an order that does not change as drivers move. */
export function driversOf(drivers: readonly Located[]): string[] {
  return drivers.map(({ driverId }) => driverId).toSorted();
}
