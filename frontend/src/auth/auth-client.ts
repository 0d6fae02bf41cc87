import { NETWORK_ERROR } from '@/data/errors';
import type { AuthReply } from './auth-reply';

export const AUTH_PROVIDER_TYPE = 'dbAuth';
const TOKEN_CACHE_MS = 5000;

export interface Credentials {
  username: string;
  password: string;
}

/** Form fields, sent unchanged. */
export type FormFields = Readonly<Record<string, string>>;

export interface AuthClient {
  readonly type: string;
  login: (credentials: Credentials) => Promise<AuthReply>;
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
  let generation = 0;
  // Whether somebody used the page since the last token. A page that is only open must not prolong its session.
  let inUse = false;

  function forgetToken() {
    generation += 1;
    cached = undefined;
    inFlight = undefined;
  }

  async function fetchToken(): Promise<string | null> {
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
    } finally {
      if (asked === generation) inFlight = undefined;
    }
  }

  function getToken(): Promise<string | null> {
    if (cached && Date.now() - cached.at < TOKEN_CACHE_MS) return Promise.resolve(cached.token);
    inFlight ??= fetchToken();
    return inFlight;
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
    login: ({ username, password }) => call({ username, password, method: 'login' }),
    async logout() {
      await post({ body: JSON.stringify({ method: 'logout' }) });
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
