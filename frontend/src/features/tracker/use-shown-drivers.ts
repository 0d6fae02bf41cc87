import { useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { quickSearchText } from '@/shell/quick-search-address';
import { byState, countStates, matching } from './choose-drivers';
import { type DriverState, driverState } from './freshness';
import type { Located } from './location-store';
import { useDriversOfDelivery } from './use-drivers-of-delivery';
import { useFreshness } from './use-freshness';

const SEARCH = { key: 'name', route: 'driverTrackerList' } as const;

/** Who is shown: by the quick search at the top, the box beside the map and the state. */
export function useShownDrivers(all: readonly Located[], now: number) {
  const { search } = useLocation();
  const [text, setText] = useState('');
  const [state, setState] = useState<DriverState>();
  const freshness = useFreshness();
  const named = quickSearchText(search, SEARCH);
  const wanted = text.trim();
  const withDelivery = useDriversOfDelivery(wanted);
  const found = useMemo(
    () => matching(all, { named, text: wanted, withDelivery }),
    [all, named, wanted, withDelivery],
  );
  const counts = useMemo(() => countStates(found, now, freshness), [found, now, freshness]);
  // The clock matters only to who asked for a state.
  const at = state === undefined ? 0 : now;
  const drivers = useMemo(
    () =>
      state === undefined
        ? found
        : found.filter(({ position, at: seen }) => driverState(position, seen, at, freshness) === state),
    [found, state, at, freshness],
  );
  // The same array while nobody changes places, so that the list is not drawn again.
  const sorted = byState(drivers, now, freshness);
  const [last, setLast] = useState(sorted);
  const isSame =
    sorted.length === last.length && sorted.every((driver, index) => driver === last[index]);
  if (!isSame) setLast(sorted);
  return { drivers, sorted: isSame ? last : sorted, counts, text, setText, state, setState };
}
