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
