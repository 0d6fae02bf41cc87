import { useEffect } from 'react';

/** While `active`, the browser asks before the page is closed or loaded again. */
export function useUnloadWarning(active: boolean) {
  useEffect(() => {
    if (!active) return undefined;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [active]);
}
