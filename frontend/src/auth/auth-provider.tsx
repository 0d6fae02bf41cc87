import type { ReactNode } from 'react';
import { AuthContext } from './auth-context';
import type { AuthStore } from './auth-store';

interface AuthProviderProps {
  store: AuthStore;
  children: ReactNode;
}

export function AuthProvider({ store, children }: AuthProviderProps) {
  return <AuthContext value={store}>{children}</AuthContext>;
}
