import { useCallback, useLayoutEffect, useRef } from 'react';
import { useNavigation } from 'react-router';

/** Changes the page or its address, for example by `navigate`. */
export type Go = () => Promise<void> | void;

/**
 * Returns a function that runs `go` unless the user has left this page, so that a late response moves nobody who has gone
 * elsewhere, and does not change the address of another page.
 */
export function useWhileHere(): (go: Go) => Promise<void> {
  const isHere = useRef(false);
  const { state } = useNavigation();

  useLayoutEffect(() => {
    // While another page loads, the user has left this one already.
    isHere.current = state === 'idle';
    return () => {
      isHere.current = false;
    };
  }, [state]);

  return useCallback(async (go: Go) => {
    if (isHere.current) await go();
  }, []);
}
