import { afterEach, expect, it, vi } from 'vitest';
import { createGraphqlClient } from './client';
import { graphql } from './graphql';

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
  const onUnauthenticated = vi.fn<() => void>();
  const client = createGraphqlClient({ getToken, onUnauthenticated, fetch: send });
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
  expect(getToken).toHaveBeenCalledTimes(2);
  expect(onUnauthenticated).not.toHaveBeenCalled();
});

it('says so when the server still refuses', async () => {
  const { client, onUnauthenticated } = setUp([refused, refused]);
  const { error } = await client.query(query, {}).toPromise();
  expect(error?.graphQLErrors[0]?.message).toBe('Sign in first');
  expect(onUnauthenticated).toHaveBeenCalledOnce();
});

it('ignores a refusal of what was asked before the last sign-in', async () => {
  let signIns = 1;
  const late = () => {
    signIns = 2;
    return refused();
  };
  const send = vi.fn<Send>(() => Promise.resolve(late()));
  const onUnauthenticated = vi.fn<() => void>();
  const client = createGraphqlClient({
    getToken: () => Promise.resolve('secret'),
    getSignInCount: () => signIns,
    onUnauthenticated,
    fetch: send,
  });
  await client.query(query, {}).toPromise();
  expect(onUnauthenticated).not.toHaveBeenCalled();
  await client.query(query, {}, { requestPolicy: 'network-only' }).toPromise();
  expect(onUnauthenticated).toHaveBeenCalledOnce();
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

it('keeps what is watched, however long', async () => {
  vi.useFakeTimers();
  const { client, send } = setUp([version('one'), version('two')]);
  const { unsubscribe } = client.query(query, {}, { requestPolicy: 'cache-first' }).subscribe(() => {});
  await vi.advanceTimersByTimeAsync(600_000);
  expect(await watch(client, 'cache-first')).toEqual(['one']);
  expect(send).toHaveBeenCalledTimes(1);
  unsubscribe();
});
