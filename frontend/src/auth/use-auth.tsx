import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useEffect,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { useNameOf } from '@/i18n/texts';
import type { AuthState, AuthStore } from './auth-store';
import { holdsRole, type RoleCheck } from './roles';
import { onSignOutElsewhere } from './sign-out-mark';

export const AuthContext = createContext<AuthStore | null>(null);

/** Returns a function that labels roles; unknown roles show their ID. */
export function useRoleName(): (role: string) => string {
  const nameOf = useNameOf();
  return useCallback((role) => nameOf('common:role', role), [nameOf]);
}

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
  /** Whether the user has the role, or one of several. */
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

interface AuthProviderProps {
  store: AuthStore;
  children: ReactNode;
}

export function AuthProvider({ store, children }: AuthProviderProps) {
  // The server ends the session only once the sign-out has reached it.
  useEffect(() => onSignOutElsewhere(store.expire), [store]);
  return <AuthContext value={store}>{children}</AuthContext>;
}
