import { createContext, type ReactNode, use, useEffect, useState } from 'react';
import { Navigate, useLocation, useNavigation } from 'react-router';
import { type TrailingSlash, withTrailingSlash } from './paths';

const PAGE_LOADING_DELAY_MS = 1000;

const PageLoadingContext = createContext(false);

interface PageLoadingProviderProps {
  delay?: number;
  children: ReactNode;
}

/** Provides whether a page has been loading longer than the delay. */
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

interface TrailingSlashRuleProps {
  rule?: TrailingSlash;
  children: ReactNode;
}

export function TrailingSlashRule({ rule = 'never', children }: TrailingSlashRuleProps) {
  const { pathname, search, hash } = useLocation();
  const wanted = withTrailingSlash(pathname, rule);
  if (wanted === pathname) return children;
  return <Navigate to={{ pathname: wanted, search, hash }} replace />;
}
