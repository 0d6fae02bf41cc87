import { useMemo, useState } from 'react';
import { useLocation } from 'react-router';
import { quickSearchText } from '@/shell/quick-search-address';
import { countStates, matching } from './choose-drivers';
import { type DriverState, driverState } from './freshness';
import type { Located } from './location-store';
import { useDriversOfDelivery } from './use-drivers-of-delivery';

const SEARCH = { key: 'name', route: 'driverTrackerList' } as const;

/** Who is shown: by the quick search at the top, the box beside the map and the state. */
export function useShownDrivers(all: readonly Located[], now: number) {
  const { search } = useLocation();
  const [text, setText] = useState('');
  const [state, setState] = useState<DriverState>();
  const named = quickSearchText(search, SEARCH);
  const wanted = text.trim();
  const withDelivery = useDriversOfDelivery(wanted);
  const found = useMemo(
    () => matching(all, { named, text: wanted, withDelivery }),
    [all, named, wanted, withDelivery],
  );
  const counts = useMemo(() => countStates(found, now), [found, now]);
  // The clock matters only to who asked for a state.
  const at = state === undefined ? 0 : now;
  const drivers = useMemo(
    () =>
      state === undefined
        ? found
        : found.filter(({ position, at: seen }) => driverState(position, seen, at) === state),
    [found, state, at],
  );
  return { drivers, counts, text, setText, state, setState };
}
