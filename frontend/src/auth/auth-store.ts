import type { AuthClient, Credentials, FormFields } from './auth-client';
import type { AuthReply } from './auth-reply';
import type { CurrentUser } from './current-user';

export interface AuthState {
  loading: boolean;
  isAuthenticated: boolean;
  currentUser: CurrentUser | null;
  /** The token. */
  userMetadata: string | null;
  hasError: boolean;
  error: Error | null;
}

const signedOut: AuthState = {
  loading: false,
  isAuthenticated: false,
  currentUser: null,
  userMetadata: null,
  hasError: false,
  error: null,
};

export interface AuthStore {
  readonly client: AuthClient;
  getState: () => AuthState;
  subscribe: (listener: () => void) => () => void;
  getToken: () => Promise<string | null>;
  reauthenticate: () => Promise<void>;
  /** Reads the user anew behind what is shown, which stays when that fails. */
  refresh: () => Promise<void>;
  /** The server told of the user as they are now. */
  update: (user: CurrentUser) => void;
  logIn: (credentials: Credentials) => Promise<AuthReply>;
  logOut: () => Promise<void>;
  signUp: (attributes: FormFields) => Promise<AuthReply>;
  forgotPassword: (username: string) => Promise<AuthReply>;
  resetPassword: (attributes: FormFields) => Promise<AuthReply>;
  validateResetToken: (resetToken: string | null) => Promise<AuthReply>;
  /** The server no longer takes the session. */
  expire: () => void;
}

function unsupported({ type }: AuthClient): Promise<never> {
  return Promise.reject(new Error(`Auth client ${type} does not implement this function`));
}

export function createAuthStore(
  client: AuthClient,
  fetchUser: (token: string) => Promise<CurrentUser | null>,
): AuthStore {
  let state: AuthState = { ...signedOut, loading: true };
  let attempt = 0;
  const listeners = new Set<() => void>();

  function set(next: AuthState) {
    state = next;
    for (const listener of listeners) listener();
  }

  function signOut() {
    attempt += 1;
    set(signedOut);
  }

  async function readState(): Promise<AuthState> {
    try {
      const token = await client.getToken();
      const currentUser = token ? await fetchUser(token) : null;
      if (!currentUser) return signedOut;
      return { ...signedOut, isAuthenticated: true, currentUser, userMetadata: token };
    } catch (cause) {
      const error = cause instanceof Error ? cause : new Error(String(cause));
      return { ...signedOut, hasError: true, error };
    }
  }

  async function reauthenticate() {
    attempt += 1;
    const own = attempt;
    const next = await readState();
    // A later sign-in or sign-out has the last word.
    if (own === attempt) set(next);
  }

  function expire() {
    client.forgetToken();
    if (state.isAuthenticated) signOut();
  }

  function update(currentUser: CurrentUser) {
    // It may still be told of somebody who is not the one signed in any more.
    if (state.currentUser?.id === currentUser.id) set({ ...state, currentUser });
  }

  async function refresh() {
    const own = attempt;
    const token = await client.getToken();
    if (!token) return;
    const currentUser = await fetchUser(token).catch(() => undefined);
    if (own !== attempt || currentUser === undefined) return;
    if (currentUser) update(currentUser);
    else expire();
  }

  return {
    client,
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getToken: client.getToken,
    reauthenticate,
    refresh,
    update,
    async logIn(credentials) {
      attempt += 1;
      set({ ...signedOut, loading: true });
      try {
        return await client.login(credentials);
      } finally {
        // Also after a failure: nothing else would end the loading state.
        await reauthenticate();
      }
    },
    async logOut() {
      try {
        await client.logout();
      } finally {
        signOut();
      }
    },
    async signUp(attributes) {
      const reply = await client.signup(attributes);
      // A server may sign in whom it just made an account.
      await reauthenticate();
      return reply;
    },
    forgotPassword: (username) => client.forgotPassword?.(username) ?? unsupported(client),
    resetPassword: (attributes) => client.resetPassword?.(attributes) ?? unsupported(client),
    validateResetToken: (resetToken) =>
      client.validateResetToken?.(resetToken) ?? unsupported(client),
    expire,
  };
}
