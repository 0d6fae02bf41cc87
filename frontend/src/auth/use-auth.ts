import { use, useMemo, useSyncExternalStore } from 'react';
import { AuthContext } from './auth-context';
import type { AuthState, AuthStore } from './auth-store';
import { holdsRole, type RoleCheck } from './roles';

export interface Auth
  extends AuthState, Pick<AuthStore, 'client' | 'getToken' | 'logIn' | 'logOut' | 'reauthenticate'> {
  type: AuthStore['client']['type'];
  /** One role, or a list of which any will do. */
  hasRole: (roles: RoleCheck) => boolean;
}

export function useAuth(): Auth {
  const store = use(AuthContext);
  if (!store) throw new Error('useAuth needs an AuthProvider around it');
  const state = useSyncExternalStore(store.subscribe, store.getState);
  return useMemo(
    () => ({
      ...state,
      client: store.client,
      type: store.client.type,
      getToken: store.getToken,
      logIn: store.logIn,
      logOut: store.logOut,
      reauthenticate: store.reauthenticate,
      hasRole: (roles: RoleCheck) => holdsRole(state.currentUser, roles),
    }),
    [state, store],
  );
}
