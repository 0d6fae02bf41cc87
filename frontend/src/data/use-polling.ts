import { useEffect, useEffectEvent } from 'react';

/**
 * Calls back every so many milliseconds while somebody looks, and as soon as they come back after
 * longer. Without a number, never.
 */
export function usePolling(callback: () => void, every: number | undefined): void {
  const tell = useEffectEvent(callback);
  useEffect(() => {
    if (every === undefined) return undefined;
    let last = Date.now();
    function tick() {
      if (document.hidden) return;
      last = Date.now();
      tell();
    }
    function look() {
      if (Date.now() - last >= Number(every)) tick();
    }
    const timer = setInterval(tick, every);
    document.addEventListener('visibilitychange', look);
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
    };
  }, [every]);
}
