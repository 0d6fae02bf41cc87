import type { AuthClient, Credentials, FormFields } from './auth-client';
import { NETWORK_ERROR, normalizeError } from '@/data/errors';
import { clearPersonalStorage } from '@/lib/personal-storage';
import type { AuthReply } from './auth-reply';
import { type CurrentUser, DEFAULT_RULES, type Office, type UserReply } from './current-user';

export interface AuthState {
  loading: boolean;
  isAuthenticated: boolean;
  currentUser: CurrentUser | null;
  /** The access token. */
  userMetadata: string | null;
  /** Whether the session has ended. `currentUser` stays until the user signs in again or leaves. */
  isExpired: boolean;
  hasError: boolean;
  error: Error | null;
}

const signedOut: AuthState = {
  loading: false,
  isAuthenticated: false,
  currentUser: null,
  userMetadata: null,
  isExpired: false,
  hasError: false,
  error: null,
};

/** The server has just started and doesn't know the organization's time zone yet, without which no time can be shown. */
export class OfficeUnknownError extends Error {
  constructor() {
    super('The organization is not known yet');
  }
}

export interface AuthStore {
  readonly client: AuthClient;
  getState: () => AuthState;
  subscribe: (listener: () => void) => () => void;
  /**
   * Resolves with null while the session is expired: the browser may already have the session of another user. A token
   * of another user ends the session.
   */
  getToken: () => Promise<string | null>;
  /** Increases with each sign-in, sign-out and session expiry. */
  getSignInCount: () => number;
  reauthenticate: () => Promise<void>;
  /**
   * Asks the server again whether the current user is signed in. If so, takes over the browser's session, which another
   * tab may have renewed. Never rejects; resolves with undefined if the server cannot be asked.
   */
  checkSession: () => Promise<boolean | undefined>;
  /** Reloads the user in the background. Keeps the current state if that fails. */
  refresh: () => Promise<void>;
  /** Applies a user update pushed by the server. If it is about another user, asks the server who is signed in. */
  update: (user: UserReply) => void;
  logIn: (credentials: Credentials) => Promise<AuthReply>;
  /**
   * Signs out. Never rejects: if the server did not confirm it, the state has the error, and nobody is signed in before the
   * server has confirmed it.
   */
  logOut: () => Promise<void>;
  signUp: (attributes: FormFields) => Promise<AuthReply>;
  forgotPassword: (username: string) => Promise<AuthReply>;
  resetPassword: (attributes: FormFields) => Promise<AuthReply>;
  validateResetToken: (resetToken: string | null) => Promise<AuthReply>;
  /** Marks the session as expired. */
  expire: () => void;
  /** Signs the user in again after the session has expired. The state changes only on success. */
  resume: (password: string) => Promise<AuthReply>;
  /** Signs out locally after the session has expired. */
  leave: () => void;
}

function unsupported({ type }: AuthClient): Promise<never> {
  return Promise.reject(new Error(`Auth client ${type} does not implement this function`));
}

function failed(cause: unknown): AuthState {
  return { ...signedOut, hasError: true, error: new Error(normalizeError(cause).message, { cause }) };
}

/** Returns the user ID in an access token; undefined if it cannot be read. */
function ownerOf(token: string): unknown {
  try {
    const claims = token.split('.')[1] ?? '';
    return (JSON.parse(atob(claims.replace(/-/g, '+').replace(/_/g, '/'))) as { sub?: unknown }).sub;
  } catch {
    return undefined;
  }
}

export function createAuthStore(
  client: AuthClient,
  fetchUser: (token: string) => Promise<UserReply | null>,
): AuthStore {
  let state: AuthState = { ...signedOut, loading: true };
  let attempt = 0;
  let checking: Promise<boolean | undefined> | undefined;
  /** Kept after signing out, since it is the same for all users. */
  let office: Office | undefined;
  const listeners = new Set<() => void>();

  function set(next: AuthState) {
    state = next;
    for (const listener of listeners) listener();
  }

  function signOut(next = signedOut, userId?: string) {
    attempt += 1;
    clearPersonalStorage(userId);
    set(next);
  }

  /** Adds what the server has left out, as it was last known here. */
  function complete(user: UserReply): CurrentUser {
    const organization = user.organization ?? office?.organization;
    if (!organization) throw new OfficeUnknownError();
    office = { organization, settings: user.settings ?? office?.settings ?? DEFAULT_RULES };
    return { ...user, ...office };
  }

  async function readState(): Promise<AuthState> {
    try {
      const token = await client.getToken();
      const user = token ? await fetchUser(token) : null;
      if (!user) return signedOut;
      return { ...signedOut, isAuthenticated: true, currentUser: complete(user), userMetadata: token };
    } catch (cause) {
      return failed(cause);
    }
  }

  async function reauthenticate() {
    attempt += 1;
    const own = attempt;
    const next = await readState();
    // A later sign-in or sign-out takes precedence.
    if (own === attempt) set(next);
  }

  function expire() {
    client.forgetToken();
    if (!state.isAuthenticated || state.isExpired) return;
    attempt += 1;
    set({ ...state, userMetadata: null, isExpired: true });
  }

  async function getToken(): Promise<string | null> {
    if (state.isExpired) return null;
    const own = attempt;
    const token = await client.getToken();
    const { currentUser } = state;
    const owner = token && currentUser ? ownerOf(token) : undefined;
    if (owner !== undefined && owner !== currentUser?.id) {
      // Another tab has signed in somebody else, unless this token was requested before the last sign-in here.
      if (own === attempt) expire();
      return null;
    }
    return state.isExpired ? null : token;
  }

  function update(user: UserReply) {
    if (state.currentUser?.id === user.id) set({ ...state, currentUser: complete(user) });
    // A delayed message may be about the previous user, or another tab may have signed in somebody else.
    else if (state.currentUser) void refresh();
  }

  async function resume(password: string): Promise<AuthReply> {
    attempt += 1;
    const own = attempt;
    const reply = await client.login({ username: state.currentUser?.username ?? '', password });
    if (reply.error) return reply;
    const next = await readState();
    if (!next.isAuthenticated) return { error: next.error?.message ?? NETWORK_ERROR };
    if (own === attempt) {
      // Invalidate requests that were sent with the old session.
      attempt += 1;
      set(next);
    }
    return reply;
  }

  async function readSession(): Promise<boolean | undefined> {
    const own = attempt;
    client.forgetToken();
    const token = await client.getToken();
    const user = token && (await fetchUser(token));
    // Without its user, a token says nothing. A later sign-in or sign-out takes precedence.
    if (own !== attempt || (token && !user)) return undefined;
    // The page may show what this user typed, so never continue it as another user.
    if (!user || user.id !== state.currentUser?.id) return false;
    // Invalidate requests that were sent with the expired session.
    if (state.isExpired) attempt += 1;
    set({ ...signedOut, isAuthenticated: true, currentUser: complete(user), userMetadata: token });
    return true;
  }

  function checkSession() {
    checking ??= readSession()
      .catch(() => undefined)
      .finally(() => {
        checking = undefined;
      });
    return checking;
  }

  async function refresh() {
    if ((await checkSession()) === false) expire();
  }

  return {
    client,
    getState: () => state,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    getToken,
    getSignInCount: () => attempt,
    reauthenticate,
    checkSession,
    refresh,
    update,
    async logIn(credentials) {
      attempt += 1;
      set({ ...signedOut, loading: true });
      try {
        return await client.login(credentials);
      } finally {
        // Load the user even if signing in failed, to end the loading state.
        await reauthenticate();
      }
    },
    async logOut() {
      // Before the request, because the tab may be closed while it waits.
      clearPersonalStorage();
      try {
        await client.logout();
        signOut();
      } catch (cause) {
        signOut(failed(cause));
      }
    },
    async signUp(attributes) {
      const reply = await client.signup(attributes);
      // The server may sign in a newly registered user.
      await reauthenticate();
      return reply;
    },
    forgotPassword: (username) => client.forgotPassword?.(username) ?? unsupported(client),
    resetPassword: (attributes) => client.resetPassword?.(attributes) ?? unsupported(client),
    validateResetToken: (resetToken) =>
      client.validateResetToken?.(resetToken) ?? unsupported(client),
    expire,
    resume,
    // Another tab may already have signed in somebody else, whose work stays.
    leave: () => signOut(signedOut, state.currentUser?.id),
  };
}
