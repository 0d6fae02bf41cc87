import { useEffect, useEffectEvent } from 'react';

/**
 * Calls back at an interval (in milliseconds) while the tab is visible, and immediately when the user returns to the
 * tab and a call is overdue. Undefined stops the calls.
 */
export function usePolling(callback: () => void, every: number | undefined): void {
  const poll = useEffectEvent(callback);
  useEffect(() => {
    if (every === undefined) return undefined;
    let last = Date.now();
    function tick() {
      if (document.hidden) return;
      last = Date.now();
      poll();
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

/**
 * Calls back once after a delay (in milliseconds), or if the tab is hidden then, when the user returns to it. Returns a
 * function that cancels the call.
 */
export function setVisibleTimeout(callback: () => void, delay: number): () => void {
  let isDue = false;
  function call() {
    if (!isDue || document.hidden) return;
    cancel();
    callback();
  }
  const timer = setTimeout(() => {
    isDue = true;
    call();
  }, delay);
  document.addEventListener('visibilitychange', call);
  function cancel() {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', call);
  }
  return cancel;
}
