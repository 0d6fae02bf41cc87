import { DRIVER_STATES, type DriverState, driverState, type Freshness } from './freshness';
import type { Located } from './location-store';

interface Wanted {
  /** Part of a name, of the quick search at the top. */
  named: string;
  /** Part of a name or an id, of the box beside the map. */
  text: string;
  /** Who has a delivery with that text in its document. */
  withDelivery: ReadonlySet<string>;
}

const fold = (text: string) =>
  text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase();

/** Those who are looked for; all of them, and the same array, when nobody is. */
export function matching(all: readonly Located[], wanted: Wanted): readonly Located[] {
  const [named, text] = [fold(wanted.named), fold(wanted.text)];
  if (named === '' && text === '') return all;
  return all.filter(({ driverId, name }) => {
    const own = fold(name);
    if (!own.includes(named)) return false;
    return own.includes(text) || fold(driverId).includes(text) || wanted.withDelivery.has(driverId);
  });
}

/** How many are in each state, now. */
export function countStates(
  drivers: readonly Located[],
  now: number,
  freshness: Freshness,
): Record<DriverState, number> {
  const counts = Object.fromEntries(DRIVER_STATES.map((state) => [state, 0])) as Record<DriverState, number>;
  for (const { position, at } of drivers) counts[driverState(position, at, now, freshness)] += 1;
  return counts;
}

/** Returns the drivers with those on the road first, each state in the order they came in. */
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

/** Returns the ids of drivers, in an order that does not depend on their movements. */
export function driversOf(drivers: readonly Located[]): string[] {
  return drivers.map(({ driverId }) => driverId).toSorted();
}
