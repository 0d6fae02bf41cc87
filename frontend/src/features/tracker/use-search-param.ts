import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** One value of the address beside its others; undefined takes it out. Back leads to where one came from. */
export function useSearchParam(name: string): [string | undefined, (value: string | undefined) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string | undefined) => {
      setParams(
        (before) => {
          const next = new URLSearchParams(before);
          if (value === undefined) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true },
      );
    },
    [name, setParams],
  );
  return [params.get(name) ?? undefined, set];
}
