import { useCallback, useLayoutEffect, useRef } from 'react';
import { type NavigateOptions, useLocation, useSearchParams } from 'react-router';

type Change = (latest: URLSearchParams) => URLSearchParams;

/**
 * Reads the URL's query and changes parts of it. A change is based on the latest navigation, even one that is not
 * rendered yet. The setter of react-router uses the last rendered one, and would lose the first of two quick changes.
 */
export function useSearch() {
  const [params, setParams] = useSearchParams();
  const location = useLocation();
  const latest = useRef(params);
  // Depend on the location, too, because going back can lead to the same query.
  useLayoutEffect(() => {
    latest.current = params;
  }, [location, params]);
  const change = useCallback(
    (next: Change, options?: NavigateOptions) => {
      latest.current = next(new URLSearchParams(latest.current));
      setParams(latest.current, options);
    },
    [setParams],
  );
  return [params, change] as const;
}
