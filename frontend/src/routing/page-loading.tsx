import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { useNavigation } from 'react-router';

const PAGE_LOADING_DELAY_MS = 1000;

const PageLoadingContext = createContext(false);

interface PageLoadingProviderProps {
  delay?: number;
  children: ReactNode;
}

/** True once a page has been loading for longer than the delay. */
export function PageLoadingProvider({
  delay = PAGE_LOADING_DELAY_MS,
  children,
}: PageLoadingProviderProps) {
  const { state } = useNavigation();
  const [late, setLate] = useState(false);
  const busy = state !== 'idle';

  useEffect(() => {
    if (!busy) return;
    const timer = setTimeout(() => setLate(true), delay);
    return () => {
      clearTimeout(timer);
      setLate(false);
    };
  }, [busy, delay]);

  return <PageLoadingContext value={busy && late}>{children}</PageLoadingContext>;
}

export function usePageLoading(): boolean {
  return use(PageLoadingContext);
}
