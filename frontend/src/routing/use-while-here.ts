import { useCallback, useLayoutEffect, useRef } from 'react';
import { useLocation, useNavigation } from 'react-router';

/** Changes the page or its address, for example by `navigate`. */
export type Go = () => Promise<void> | void;

/**
 * Returns a function that runs `go` only while this page is shown, so that a late response does not navigate away from
 * another page.
 */
export function useWhileHere(): (go: Go) => Promise<void> {
  const here = useRef<string>(undefined);
  const { pathname } = useLocation();
  const { state } = useNavigation();

  useLayoutEffect(() => {
    // While another page loads, the user has left this one already.
    here.current = state === 'idle' ? pathname : undefined;
    return () => {
      here.current = undefined;
    };
  }, [state, pathname]);

  // Compares with the page of the render that called `whileHere`, because a page stays mounted when another record of the
  // same kind is opened.
  return useCallback(
    async (go: Go) => {
      if (here.current === pathname) await go();
    },
    [pathname],
  );
}
