import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createAuthClient } from '@/auth/auth-client';
import { createGraphqlClient, UNCACHED } from './client';
import { normalizeError } from './errors';
import { graphql } from './graphql';
import { LIMIT_MS } from './timed-fetch';
import { hangingFetch } from '@/test/hanging-fetch';

const query = graphql(`
  query Version {
    redwood {
      version
    }
  }
`);

const createAdmin = graphql(`
  mutation Create($input: CreateAdminInput!) {
    createAdmin(input: $input) {
      id
    }
  }
`);

type Send = typeof fetch;

function answer(body: unknown, status = 200) {
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/json' },
  });
}
const good = () => answer({ data: { redwood: { version: 'v1.0.30' } } });
const refused = () =>
  answer({
    errors: [{ message: 'Sign in first', extensions: { code: 'UNAUTHENTICATED' } }],
    data: null,
  });

function setUp(answers: (() => Response | Promise<Response>)[], token: string | null = 'secret') {
  const send = vi.fn<Send>(() => Promise.resolve((answers.shift() ?? good)()));
  const getToken = vi.fn<() => Promise<string | null>>(() => Promise.resolve(token));
  let signIns = 1;
  // The end of a session counts, too.
  const onUnauthenticated = vi.fn<() => void>(() => (signIns += 1));
  const client = createGraphqlClient({ getToken, getSignInCount: () => signIns, onUnauthenticated, fetch: send });
  const headers = (call = 0) => new Headers(send.mock.calls[call]?.[1]?.headers);
  return { client, send, getToken, onUnauthenticated, headers };
}

afterEach(() => {
  vi.useRealTimers();
});

it('posts with the token and the provider of the session', async () => {
  const { client, send, headers } = setUp([good]);
  const { data } = await client.query(query, {}).toPromise();
  expect(data?.redwood.version).toBe('v1.0.30');
  expect(send.mock.calls[0]?.[0]).toBe('/graphql');
  expect(send.mock.calls[0]?.[1]?.method).toBe('POST');
  expect(headers().get('authorization')).toBe('Bearer secret');
  expect(headers().get('auth-provider')).toBe('dbAuth');
});

it('names one trace for all requests of a visit', async () => {
  const { client, headers } = setUp([good, good]);
  await client.query(query, {}).toPromise();
  await client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
  const [first, second] = [headers(0), headers(1)].map((it) => it.get('traceparent')?.split('-'));
  expect(first?.map((part) => part.length)).toEqual([2, 32, 16, 2]);
  expect(second?.[1]).toBe(first?.[1]);
  expect(second?.[2]).not.toBe(first?.[2]);
});

it('sends neither header when signed out', async () => {
  const { client, headers } = setUp([good], null);
  await client.query(query, {}).toPromise();
  expect(headers().has('authorization')).toBe(false);
  expect(headers().has('auth-provider')).toBe(false);
});

it('reads the token anew after a refusal and tries once more', async () => {
  const { client, send, getToken, onUnauthenticated } = setUp([refused, good]);
  const { data } = await client.query(query, {}).toPromise();
  expect(data?.redwood.version).toBe('v1.0.30');
  expect(send).toHaveBeenCalledTimes(2);
  expect(getToken).toHaveBeenCalledTimes(3);
  expect(onUnauthenticated).not.toHaveBeenCalled();
});

it('sends what was refused again with the session of another tab, though the old token is still cached', async () => {
  let token = 'old';
  const auth = createAuthClient({ fetch: () => Promise.resolve(new Response(token)) });
  const send = vi.fn<Send>((_, init) =>
    Promise.resolve(new Headers(init?.headers).get('authorization') === 'Bearer new' ? good() : refused()),
  );
  const confirmSession = vi.fn(async () => {
    auth.forgetToken();
    return (await auth.getToken()) !== null;
  });
  const onUnauthenticated = vi.fn<() => void>();
  await auth.getToken();
  token = 'new';
  const client = createGraphqlClient({ getToken: auth.getToken, confirmSession, onUnauthenticated, fetch: send });
  const ask = () => client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
  const answers = await Promise.all([ask(), client.query(query, {}).toPromise()]);
  expect(answers.map(({ data }) => data?.redwood.version)).toEqual(['v1.0.30', 'v1.0.30']);
  expect(send).toHaveBeenCalledTimes(2);
  expect((await ask()).error).toBeUndefined();
  expect(confirmSession).toHaveBeenCalledOnce();
  expect(onUnauthenticated).not.toHaveBeenCalled();
});

it('says so when the server still refuses and the session has ended', async () => {
  const { client, getToken, onUnauthenticated } = setUp([refused, refused]);
  getToken.mockResolvedValueOnce('secret').mockResolvedValue(null);
  const { error } = await client.query(query, {}).toPromise();
  expect(error?.graphQLErrors[0]?.message).toBe('Sign in first');
  await vi.waitFor(() => expect(onUnauthenticated).toHaveBeenCalledOnce());
});

it('does not say so while there is a session, for example a newer one of another tab', async () => {
  const { client, send, getToken, onUnauthenticated } = setUp([refused, refused]);
  await client.query(query, {}).toPromise();
  // For the first request, after each refusal, and for the second request.
  await vi.waitFor(() => expect(getToken).toHaveBeenCalledTimes(4));
  expect(send).toHaveBeenCalledTimes(2);
  expect(onUnauthenticated).not.toHaveBeenCalled();
});

describe('while the auth service is away', () => {
  function restarting() {
    const down = () => Promise.resolve(new Response('', { status: 503 }));
    const auth = vi.fn<Send>(down);
    const send = vi.fn<Send>((_, init) => {
      const isSignedIn = new Headers(init?.headers).has('authorization');
      return Promise.resolve(isSignedIn ? good() : refused());
    });
    const { getToken } = createAuthClient({ fetch: auth });
    const onUnauthenticated = vi.fn<() => void>();
    const client = createGraphqlClient({ getToken, onUnauthenticated, fetch: send });
    const restart = () => auth.mockImplementation(() => Promise.resolve(new Response('secret')));
    return { client, send, onUnauthenticated, restart };
  }

  /** Waits for the answer, and for what follows from it. */
  async function ask(client: ReturnType<typeof createGraphqlClient>) {
    const answer = client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
    await vi.advanceTimersByTimeAsync(5000);
    return answer;
  }

  beforeEach(() => {
    vi.useFakeTimers();
  });

  it('nobody is signed out, and what is asked fails as if the network were down', async () => {
    const { client, send, onUnauthenticated } = restarting();
    const { error } = await ask(client);
    expect(normalizeError(error)).toMatchObject({ kind: 'network' });
    expect(onUnauthenticated).not.toHaveBeenCalled();
    // Without a token, the server would say that nobody is signed in.
    expect(send).not.toHaveBeenCalled();
  });

  it('can be asked again afterwards', async () => {
    const { client, restart } = restarting();
    await ask(client);
    restart();
    const { data } = await ask(client);
    expect(data?.redwood.version).toBe('v1.0.30');
  });

  it('a refusal does not end the session, which cannot be asked about', async () => {
    const { client, getToken, onUnauthenticated } = setUp([refused]);
    getToken.mockResolvedValueOnce('secret').mockRejectedValue(new TypeError('An error has occurred'));
    const { error } = await ask(client);
    expect(normalizeError(error)).toMatchObject({ kind: 'network' });
    expect(onUnauthenticated).not.toHaveBeenCalled();
  });
});

it('ignores a refusal of what was asked before the last sign-in', async () => {
  let signIns = 1;
  const late = () => {
    if (signIns === 1) signIns = 2;
    return refused();
  };
  const send = vi.fn<Send>(() => Promise.resolve(late()));
  const onUnauthenticated = vi.fn<() => void>(() => (signIns = 3));
  const confirmSession = vi.fn(() => Promise.resolve(false));
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    getSignInCount: () => signIns,
    confirmSession,
    onUnauthenticated,
    fetch: send,
  });
  await client.query(query, {}).toPromise();
  expect(confirmSession).not.toHaveBeenCalled();
  await client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
  await vi.waitFor(() => expect(onUnauthenticated).toHaveBeenCalledOnce());
});

it('repeats a query once when the network failed', async () => {
  const lost = () => Promise.reject(new TypeError('lost'));
  const { client, send } = setUp([lost, good]);
  const { data } = await client.query(query, {}).toPromise();
  expect(data?.redwood.version).toBe('v1.0.30');
  expect(send).toHaveBeenCalledTimes(2);
});

it('never repeats a mutation', async () => {
  const { client, send } = setUp([() => Promise.reject(new TypeError('lost'))]);
  const input = { username: 'rosa', email: 'rosa@example.com', password: 'secret' };
  const { error } = await client.mutation(createAdmin, { input }).toPromise();
  expect(error?.networkError).toBeDefined();
  expect(send).toHaveBeenCalledOnce();
});

it('gives up a request that hangs', async () => {
  vi.useFakeTimers();
  hangingFetch();
  const { getToken, onUnauthenticated } = setUp([]);
  const client = createGraphqlClient({ getToken, onUnauthenticated });
  const input = { username: 'rosa', email: 'rosa@example.com', password: 'secret' };
  const saving = client.mutation(createAdmin, { input }).toPromise();
  await vi.advanceTimersByTimeAsync(LIMIT_MS);
  expect(normalizeError((await saving).error)).toMatchObject({ kind: 'network' });
});

it('sends the name of the operation, its variables and its text', async () => {
  const { client, send } = setUp([good]);
  await client.query(query, {}).toPromise();
  const body = JSON.parse(String(send.mock.calls[0]?.[1]?.body)) as Record<string, unknown>;
  expect(body).toMatchObject({ operationName: 'Version', variables: {} });
  expect(body.query).toContain('query Version');
});

/** Mounts a query briefly, like a screen, and returns the versions it showed. */
async function watch(client: ReturnType<typeof setUp>['client'], requestPolicy?: 'cache-first') {
  const shown: (string | undefined)[] = [];
  const context = requestPolicy && { requestPolicy };
  const { unsubscribe } = client
    .query(query, {}, context)
    .subscribe(({ data }) => shown.push(data?.redwood.version));
  await vi.advanceTimersByTimeAsync(100);
  unsubscribe();
  return shown;
}

const version = (text: string) => () => answer({ data: { redwood: { version: text } } });

it('shows what is known at once and reads it again, unless told otherwise', async () => {
  vi.useFakeTimers();
  const { client, send } = setUp([version('one'), version('two')]);
  expect(await watch(client)).toEqual(['one']);
  expect(await watch(client)).toEqual(['one', 'two']);
  expect(send).toHaveBeenCalledTimes(2);
});

it('reads a query again that a second mutation overtook, while it was read because of the first', async () => {
  const read = (text: string) => answer({ data: { redwood: { __typename: 'Redwood', version: text } } });
  const saved = () => answer({ data: { createAdmin: { __typename: 'Admin', id: 'u2' } } });
  let finish: (response: Response) => void = () => undefined;
  const { client, send } = setUp([
    () => read('one'),
    saved,
    () => new Promise<Response>((resolve) => (finish = resolve)),
    saved,
    () => read('three'),
  ]);
  const shown: (string | undefined)[] = [];
  const { unsubscribe } = client.query(query, {}).subscribe(({ data }) => shown.push(data?.redwood.version));
  await vi.waitFor(() => expect(shown).toEqual(['one']));
  const input = { username: 'rosa', email: 'rosa@example.com', password: 'secret' };
  const save = () => client.mutation(createAdmin, { input }, { additionalTypenames: ['Redwood'] }).toPromise();
  await save();
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(3));
  await save();
  // The server read this before the second change.
  finish(read('two'));
  await vi.waitFor(() => expect(shown.at(-1)).toBe('three'));
  expect(send).toHaveBeenCalledTimes(5);
  unsubscribe();
});

it('drops an answer that nobody has watched for 30000 ms, and no other', async () => {
  vi.useFakeTimers();
  const { client, send } = setUp([version('one'), version('two'), version('three')]);
  expect(await watch(client, 'cache-first')).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(29_998);
  // The query was mounted again in time, so the timer restarts although the cache answered.
  expect(await watch(client, 'cache-first')).toEqual(['one']);
  await vi.advanceTimersByTimeAsync(29_998);
  expect(await watch(client, 'cache-first')).toEqual(['one']);
  expect(send).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(30_000);
  // Unmounted queries are not refetched, and outdated data is never shown.
  expect(send).toHaveBeenCalledTimes(1);
  expect(await watch(client)).toEqual(['two']);
  expect(send).toHaveBeenCalledTimes(2);
});

it('keeps nothing of a query that bypasses the cache, and reads it each time', async () => {
  const { client, send } = setUp([version('one'), version('two'), version('three')]);
  const read = (context: object) => client.query(query, {}, context).toPromise();
  expect((await read(UNCACHED)).data?.redwood.version).toBe('one');
  expect((await read({ requestPolicy: 'cache-only' })).data).toBeNull();
  expect((await read({ requestPolicy: 'cache-first' })).data?.redwood.version).toBe('two');
  expect((await read(UNCACHED)).data?.redwood.version).toBe('three');
  expect((await read({ requestPolicy: 'cache-first' })).data?.redwood.version).toBe('two');
  expect(send).toHaveBeenCalledTimes(3);
});

it('aborts a query that bypasses the cache when nobody waits for it any more', async () => {
  const { client, send } = setUp([() => new Promise<Response>(() => {})]);
  const { unsubscribe } = client.query(query, {}, UNCACHED).subscribe(() => {});
  await vi.waitFor(() => expect(send).toHaveBeenCalledTimes(1));
  unsubscribe();
  expect(send.mock.calls[0]?.[1]?.signal?.aborted).toBe(true);
});

it('keeps what is watched, however long', async () => {
  vi.useFakeTimers();
  const { client, send } = setUp([version('one'), version('two')]);
  const { unsubscribe } = client.query(query, {}, { requestPolicy: 'cache-first' }).subscribe(() => {});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await watch(client, 'cache-first')).toEqual(['one']);
  expect(send).toHaveBeenCalledTimes(1);
  unsubscribe();
});
