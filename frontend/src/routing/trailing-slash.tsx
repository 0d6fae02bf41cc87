import type { ReactNode } from 'react';
import { Navigate, useLocation } from 'react-router';
import { type TrailingSlash, withTrailingSlash } from './paths';

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
