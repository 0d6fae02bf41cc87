import { useCallback, useEffect, useEffectEvent, useState } from 'react';

type Execute = (options: { requestPolicy: 'network-only' }) => void;

/**
 * Returns a function that reads a query again, for changes made elsewhere and for timers. If a read is in flight, it waits
 * for its end: urql would abort it, so that a query slower than its changes would never be answered. Call `execute`
 * itself to retry at the request of the user.
 */
export function useRefresh({ fetching, stale }: { fetching: boolean; stale: boolean }, execute: Execute): () => void {
  const [isWanted, setWanted] = useState(false);
  const isBusy = fetching || stale;
  const read = useEffectEvent(() => execute({ requestPolicy: 'network-only' }));
  useEffect(() => {
    if (!isWanted || isBusy) return;
    setWanted(false);
    read();
  }, [isWanted, isBusy]);
  return useCallback(() => setWanted(true), []);
}
