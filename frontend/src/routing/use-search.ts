import { useCallback, useLayoutEffect, useRef } from 'react';
import { type NavigateOptions, useLocation, useSearchParams } from 'react-router';

type Change = (latest: URLSearchParams) => URLSearchParams;

/**
 * The query of the address, and how one part of it is changed. A change sees what was asked for last, drawn or not:
 * the router's own setter begins from what was drawn last, so of two quick choices it would keep the second only.
 */
export function useSearch() {
  const [params, setParams] = useSearchParams();
  const location = useLocation();
  const latest = useRef(params);
  // Going back may lead to the same query, so it is the location that counts.
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
