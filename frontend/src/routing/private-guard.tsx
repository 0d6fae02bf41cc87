import type { ReactNode } from 'react';
import { Navigate, Outlet, useLocation } from 'react-router';
import { useAuth } from '@/auth/use-auth';
import type { PrivateSet } from './declarations';
import { refusalTarget } from './redirect-to';

interface PrivateGuardProps {
  /** The path refused users are sent to. */
  target: string;
  roles: PrivateSet['roles'];
  wrap: PrivateSet['wrap'];
  whileLoadingAuth: ReactNode;
}

export function PrivateGuard({ target, roles, wrap: Wrap, whileLoadingAuth }: PrivateGuardProps) {
  const { loading, isAuthenticated, hasRole } = useAuth();
  const location = useLocation();
  const allowed = isAuthenticated && (roles === undefined || hasRole(roles));
  if (!allowed && loading) return whileLoadingAuth;
  if (!allowed) return <Navigate to={refusalTarget(target, location)} replace />;
  return Wrap ? (
    <Wrap>
      <Outlet />
    </Wrap>
  ) : (
    <Outlet />
  );
}
