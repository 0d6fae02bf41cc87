import { vi } from 'vitest';
import { executeFake } from './schema';

type Variables = Record<string, unknown>;

export interface FakeError {
  message: string;
  extensions?: Record<string, unknown>;
}

/** If the errors leave no data, the gateway sends null. */
export type Answer = { data: unknown; errors?: FakeError[] } | { errors: FakeError[] };

export interface AuthAnswer {
  body: unknown;
  status?: number;
}

export interface FakeServerOptions {
  /** The signed-in user. Signing in replaces it by the user that `login` returns. */
  user?: Record<string, unknown> | null;
  login?: (credentials: Variables) => { user: Record<string, unknown> } | { error: string };
  /** Access token of a user; the same for all users by default. */
  token?: (user: Record<string, unknown>) => string;
  /** Responses of the auth endpoint by method, in place of the usual ones; failures have a status. */
  auth?: Record<string, (fields: Variables) => AuthAnswer | Promise<AuthAnswer>>;
  /** GraphQL responses by operation name. Their data must match the schema. */
  operations?: Record<string, (variables: Variables) => Answer | Promise<Answer>>;
  /** Responses for other URLs by path. */
  paths?: Record<string, (url: URL, init: RequestInit) => Response | Promise<Response>>;
}

export interface FakeServer {
  /** The requests in order: 'GET getToken', 'POST login', or an operation name. */
  calls: { name: string; variables: Variables }[];
  signOut: () => void;
  /** Begins a session in another tab. */
  signIn: (user: Record<string, unknown>) => void;
}

export const rosa = {
  id: 'u1',
  username: 'rosa',
  roles: ['admin'],
  news: [],
  organization: { name: 'Habagat Logistics', timezone: 'Asia/Manila' },
};

function json(body: unknown, status = 200): Response {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
}

/** Fakes the gateway by replacing `fetch`. The app uses its real clients. */
export function startFakeServer(options: FakeServerOptions = {}): FakeServer {
  let user = options.user ?? null;
  const calls: FakeServer['calls'] = [];

  async function answerAuth(method: string, body: Variables): Promise<Response> {
    if (method === 'GET') return new Response(user ? (options.token?.(user) ?? 'token') : '');
    const own = options.auth?.[String(body.method)];
    if (own) {
      const answer = await own(body);
      return json(answer.body, answer.status);
    }
    if (body.method === 'logout') {
      user = null;
      return new Response('');
    }
    const result = options.login?.(body) ?? { error: 'Username or password is wrong' };
    if ('error' in result) return json(result, 400);
    user = result.user;
    return json({ id: user.id });
  }

  async function answerGraphql(query: string, name: string, variables: Variables): Promise<Response> {
    if (name === '__REDWOOD__AUTH_GET_CURRENT_USER') {
      return json({ data: { redwood: { currentUser: user } } });
    }
    const answer = await options.operations?.[name]?.(variables);
    if (answer && 'data' in answer && answer.data !== null) {
      return json({ ...answer, data: executeFake(query, variables, answer.data) });
    }
    return json(answer ?? { errors: [{ message: `No answer for ${name}` }] });
  }

  vi.stubGlobal('fetch', (input: string | URL | Request, init: RequestInit = {}) => {
    const url = new URL(input instanceof Request ? input.url : input, 'http://localhost');
    const method = init.method ?? 'GET';
    const body = init.body ? (JSON.parse(String(init.body)) as Variables) : {};
    if (url.pathname === '/auth') {
      const name = String(body.method ?? url.searchParams.get('method'));
      calls.push({ name: `${method} ${name}`, variables: body });
      return answerAuth(method, body);
    }
    const own = options.paths?.[url.pathname];
    if (own) {
      calls.push({ name: url.pathname, variables: Object.fromEntries(url.searchParams) });
      return Promise.resolve(own(url, init));
    }
    const query = String(body.query);
    const name = /(?:query|mutation)\s+(\w+)/.exec(query)?.[1] ?? '';
    const variables = (body.variables ?? {}) as Variables;
    calls.push({ name, variables });
    return answerGraphql(query, name, variables);
  });

  return {
    calls,
    signOut: () => {
      user = null;
    },
    signIn: (other) => {
      user = other;
    },
  };
}
