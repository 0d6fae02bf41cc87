import { use, useMemo, useSyncExternalStore } from 'react';
import { AuthContext } from './auth-context';
import type { AuthState, AuthStore } from './auth-store';
import { holdsRole, type RoleCheck } from './roles';

type Functions =
  | 'getToken'
  | 'logIn'
  | 'logOut'
  | 'signUp'
  | 'reauthenticate'
  | 'forgotPassword'
  | 'resetPassword'
  | 'validateResetToken';

export interface Auth extends AuthState, Pick<AuthStore, 'client' | Functions> {
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
      signUp: store.signUp,
      reauthenticate: store.reauthenticate,
      forgotPassword: store.forgotPassword,
      resetPassword: store.resetPassword,
      validateResetToken: store.validateResetToken,
      hasRole: (roles: RoleCheck) => holdsRole(state.currentUser, roles),
    }),
    [state, store],
  );
}
