import { useSyncExternalStore } from 'react';

// Below this width the drawer is hidden and tables do not fit.
const QUERY = '(max-width: 767px)';

function subscribe(listener: () => void) {
  const query = window.matchMedia?.(QUERY);
  query?.addEventListener('change', listener);
  return () => query?.removeEventListener('change', listener);
}

export function useNarrowScreen(): boolean {
  return useSyncExternalStore(subscribe, () => window.matchMedia?.(QUERY).matches ?? false);
}
