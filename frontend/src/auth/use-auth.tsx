import {
  createContext,
  type ReactNode,
  use,
  useCallback,
  useMemo,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import type { AuthState, AuthStore } from './auth-store';
import { holdsRole, type RoleCheck } from './roles';

export const AuthContext = createContext<AuthStore | null>(null);

/** Returns the name of a role for people; a role this release does not know keeps its id. */
export function useRoleName(): (role: string) => string {
  const { t } = useTranslation('common');
  return useCallback((role) => t(`role.${role}`, { defaultValue: role }), [t]);
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

interface AuthProviderProps {
  store: AuthStore;
  children: ReactNode;
}

export function AuthProvider({ store, children }: AuthProviderProps) {
  return <AuthContext value={store}>{children}</AuthContext>;
}
