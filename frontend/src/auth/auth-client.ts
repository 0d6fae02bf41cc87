import { NETWORK_ERROR } from '@/data/errors';
import type { AuthReply } from './auth-reply';
import { createSignOutMark, whileAlone } from './sign-out-mark';

export const AUTH_PROVIDER_TYPE = 'dbAuth';
const TOKEN_CACHE_MS = 5000;

export interface Credentials {
  username: string;
  password: string;
}

/** Form fields, sent unchanged. */
export type FormFields = Readonly<Record<string, string>>;

/** A sign-out has not reached the server, so the browser may still have the session's cookie. */
export class SignOutPendingError extends TypeError {
  constructor(cause: unknown) {
    super(NETWORK_ERROR, { cause });
  }
}

export interface AuthClient {
  readonly type: string;
  login: (credentials: Credentials) => Promise<AuthReply>;
  /** Rejects if the server did not confirm the sign-out. `getToken` then sends it again before it asks for a token. */
  logout: () => Promise<true>;
  signup: (attributes: FormFields) => Promise<AuthReply>;
  /** Resolves with null only if the server says that nobody is signed in; rejects if it cannot be asked. */
  getToken: () => Promise<string | null>;
  forgetToken: () => void;
  // Some sign-in methods have no passwords.
  forgotPassword?: (username: string) => Promise<AuthReply>;
  resetPassword?: (attributes: FormFields) => Promise<AuthReply>;
  validateResetToken?: (resetToken: string | null) => Promise<AuthReply>;
}

export interface AuthClientOptions {
  url?: string;
  fetch?: typeof fetch;
  /** Whether somebody has used the page since the last call. */
  wasUsed?: () => boolean;
}

export function createAuthClient({
  url = '/auth',
  wasUsed = () => true,
  ...options
}: AuthClientOptions = {}): Required<AuthClient> {
  const send: typeof fetch = (...args) => (options.fetch ?? fetch)(...args);
  let cached: { token: string | null; at: number } | undefined;
  let inFlight: Promise<string | null> | undefined;
  const signOutMark = createSignOutMark();
  let signingOut: Promise<void> | undefined;
  let generation = 0;
  // Whether somebody used the page since the last token. A page that is only open must not prolong its session.
  let inUse = false;

  function forgetToken() {
    generation += 1;
    cached = undefined;
    inFlight = undefined;
  }

  async function fetchToken(): Promise<string | null> {
    // Until a sign-out reaches the server, the cookie would sign in the next person at this computer.
    if (signOutMark.isSet()) await sendSignOut();
    const asked = generation;
    inUse ||= wasUsed();
    try {
      const response = await send(`${url}?method=getToken${inUse ? '' : '&background=1'}`, { credentials: 'include' });
      // An error page, of a proxy for example, is neither a token nor a sign-out.
      if (!response.ok) throw response;
      inUse = false;
      const token = (await response.text()).trim() || null;
      // Ignore responses to requests from before the last sign-in or sign-out.
      if (asked === generation) cached = { token, at: Date.now() };
      return token;
    } catch {
      throw new TypeError(NETWORK_ERROR);
    }
  }

  function getToken(): Promise<string | null> {
    if (cached && Date.now() - cached.at < TOKEN_CACHE_MS) return Promise.resolve(cached.token);
    if (inFlight) return inFlight;
    const own: Promise<string | null> = fetchToken().finally(() => {
      if (inFlight === own) inFlight = undefined;
    });
    inFlight = own;
    return own;
  }

  async function post(init: RequestInit): Promise<Response> {
    forgetToken();
    try {
      return await send(url, { method: 'POST', credentials: 'include', ...init });
    } finally {
      // Forget the token again, because a token request in flight may have been sent before this POST took effect.
      forgetToken();
    }
  }

  async function confirmSignOut(): Promise<void> {
    // Another tab may have signed out or in while this one waited for it.
    if (!signOutMark.isSet()) return forgetToken();
    try {
      const response = await post({ body: JSON.stringify({ method: 'logout' }) });
      if (!response.ok) throw response;
    } catch (cause) {
      throw new SignOutPendingError(cause);
    }
    signOutMark.clear();
  }

  function sendSignOut(): Promise<void> {
    signingOut ??= whileAlone(confirmSignOut).finally(() => {
      signingOut = undefined;
    });
    return signingOut;
  }

  /** The response body is always JSON, and the HTTP status adds nothing to it. */
  async function call(fields: Record<string, unknown>): Promise<AuthReply> {
    const response = await post({
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(fields),
    });
    return (await response.json()) as AuthReply;
  }

  return {
    type: AUTH_PROVIDER_TYPE,
    getToken,
    forgetToken,
    async login({ username, password }) {
      // The response to a sign-out deletes the cookie, so it must not arrive after that of the sign-in.
      if (signingOut) await signingOut.catch(() => undefined);
      return whileAlone(async () => {
        const reply = await call({ username, password, method: 'login' });
        // A sign-in, whose reply names the user, ends the browser's earlier session.
        if (reply.id !== undefined) signOutMark.clear();
        return reply;
      });
    },
    async logout() {
      // Before sending, since the tab may be closed before the response arrives.
      signOutMark.set();
      await sendSignOut();
      return true;
    },
    signup: (attributes) => call({ ...attributes, method: 'signup' }),
    forgotPassword: (username) => call({ username, method: 'forgotPassword' }),
    resetPassword: (attributes) => call({ ...attributes, method: 'resetPassword' }),
    validateResetToken: (resetToken) => call({ resetToken, method: 'validateResetToken' }),
  };
}

/**
 * Returns a function that says whether somebody has used the page since its last call. Opening the page counts as use,
 * and so does returning to its tab.
 */
export function watchUse(page: Pick<Document, 'hidden' | 'addEventListener'>): () => boolean {
  let inUse = true;
  for (const event of ['pointerdown', 'keydown', 'wheel', 'click', 'visibilitychange']) {
    page.addEventListener(event, () => (inUse ||= !page.hidden), { capture: true, passive: true });
  }
  return () => {
    const wasInUse = inUse;
    inUse = false;
    return wasInUse;
  };
}
