import type { AuthReply } from './auth-reply';

export const AUTH_PROVIDER_TYPE = 'dbAuth';
const TOKEN_CACHE_MS = 5000;

export interface Credentials {
  username: string;
  password: string;
}

/** The fields of a form, sent as they are. */
export type FormFields = Readonly<Record<string, string>>;

export interface AuthClient {
  readonly type: string;
  login: (credentials: Credentials) => Promise<AuthReply>;
  logout: () => Promise<true>;
  signup: (attributes: FormFields) => Promise<AuthReply>;
  getToken: () => Promise<string | null>;
  forgetToken: () => void;
  // Not every way of signing in has passwords to reset.
  forgotPassword?: (username: string) => Promise<AuthReply>;
  resetPassword?: (attributes: FormFields) => Promise<AuthReply>;
  validateResetToken?: (resetToken: string | null) => Promise<AuthReply>;
}

export interface AuthClientOptions {
  url?: string;
  fetch?: typeof fetch;
}

export function createAuthClient({
  url = '/auth',
  ...options
}: AuthClientOptions = {}): Required<AuthClient> {
  const send: typeof fetch = (...args) => (options.fetch ?? fetch)(...args);
  let cached: { token: string | null; at: number } | undefined;
  let inFlight: Promise<string | null> | undefined;
  let generation = 0;

  function forgetToken() {
    generation += 1;
    cached = undefined;
    inFlight = undefined;
  }

  async function fetchToken(): Promise<string | null> {
    const asked = generation;
    try {
      const response = await send(`${url}?method=getToken`, { credentials: 'include' });
      // The page of a proxy or of an error is no token.
      if (!response.ok) return null;
      const token = (await response.text()).trim() || null;
      // An answer to a question from before the last sign-in or sign-out is not kept.
      if (asked === generation) cached = { token, at: Date.now() };
      return token;
    } catch {
      return null;
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
      // Whoever asked meanwhile may have been answered from before.
      forgetToken();
    }
  }

  /** The answer is JSON whatever the status, which says nothing that the answer does not. */
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
