export const AUTH_PROVIDER_TYPE = 'dbAuth';
const TOKEN_CACHE_MS = 5000;

/** What the endpoint answers; it carries either a failure text, a plain message, or a user. */
export interface AuthReply {
  error?: string;
  message?: string;
  [field: string]: unknown;
}

export interface Credentials {
  username: string;
  password: string;
}

export interface AuthClient {
  readonly type: typeof AUTH_PROVIDER_TYPE;
  login: (credentials: Credentials) => Promise<AuthReply>;
  logout: () => Promise<true>;
  getToken: () => Promise<string | null>;
  forgetToken: () => void;
  forgotPassword: (username: string) => Promise<never>;
  resetPassword: (attributes: Record<string, string>) => Promise<never>;
  validateResetToken: (resetToken: string | null) => Promise<never>;
}

export interface AuthClientOptions {
  url?: string;
  fetch?: typeof fetch;
}

function unsupported(): Promise<never> {
  return Promise.reject(
    new Error(`Auth client ${AUTH_PROVIDER_TYPE} does not implement this function`),
  );
}

export function createAuthClient({ url = '/auth', ...options }: AuthClientOptions = {}): AuthClient {
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

  return {
    type: AUTH_PROVIDER_TYPE,
    getToken,
    forgetToken,
    async login({ username, password }) {
      forgetToken();
      const response = await send(url, {
        method: 'POST',
        credentials: 'include',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ username, password, method: 'login' }),
      });
      return (await response.json()) as AuthReply;
    },
    async logout() {
      forgetToken();
      await send(url, {
        method: 'POST',
        credentials: 'include',
        body: JSON.stringify({ method: 'logout' }),
      });
      return true;
    },
    forgotPassword: unsupported,
    resetPassword: unsupported,
    validateResetToken: unsupported,
  };
}
