import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { NETWORK_ERROR, normalizeError } from '@/data/errors';
import { LIMIT_MS, timedFetch } from '@/data/timed-fetch';
import { hangingFetch } from '@/test/hanging-fetch';
import { createAuthClient, SignOutPendingError, watchUse } from './auth-client';

type Call = [input: string, init?: RequestInit];

function clientOver(answer: () => Promise<Response>) {
  const send = vi.fn<(...call: Call) => Promise<Response>>(answer);
  return { send, client: createAuthClient({ fetch: send as unknown as typeof fetch }) };
}

function text(body: string, status = 200) {
  return () => Promise.resolve(new Response(body, { status }));
}

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

describe('getToken', () => {
  it('asks the endpoint with the cookie', async () => {
    const { client, send } = clientOver(text('secret'));
    expect(await client.getToken()).toBe('secret');
    expect(send).toHaveBeenCalledWith('/auth?method=getToken', { credentials: 'include' });
  });

  it('asks in the background unless the page was used since a token arrived', async () => {
    const send = vi.fn<(...call: Call) => Promise<Response>>(text('secret'));
    const wasUsed = vi.fn<() => boolean>(() => false).mockReturnValueOnce(true);
    const client = createAuthClient({ fetch: send as unknown as typeof fetch, wasUsed });
    const askedUrl = async () => {
      vi.advanceTimersByTime(5000);
      await client.getToken().catch(() => undefined);
      return send.mock.lastCall?.[0];
    };
    send.mockImplementationOnce(() => Promise.reject(new TypeError('failed')));
    expect(await askedUrl()).toBe('/auth?method=getToken');
    expect(await askedUrl()).toBe('/auth?method=getToken');
    expect(await askedUrl()).toBe('/auth?method=getToken&background=1');
    wasUsed.mockReturnValueOnce(true);
    expect(await askedUrl()).toBe('/auth?method=getToken');
  });

  it('is cached for 5000 ms', async () => {
    const { client, send } = clientOver(text('secret'));
    await client.getToken();
    vi.advanceTimersByTime(4999);
    await client.getToken();
    expect(send).toHaveBeenCalledTimes(1);
    vi.advanceTimersByTime(1);
    await client.getToken();
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('caches that nobody is signed in', async () => {
    const { client, send } = clientOver(text(''));
    expect(await client.getToken()).toBeNull();
    expect(await client.getToken()).toBeNull();
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('shares a request that is under way', async () => {
    const { client, send } = clientOver(text('secret'));
    expect(await Promise.all([client.getToken(), client.getToken()])).toEqual(['secret', 'secret']);
    expect(send).toHaveBeenCalledTimes(1);
  });

  it('takes a lone newline for no token', async () => {
    expect(await clientOver(text('\n')).client.getToken()).toBeNull();
  });

  it.each([
    ['an error', text('{"error":"x"}', 500)],
    ['an auth service that is away', text('', 503)],
    ['a page that is missing', text('<html>', 404)],
    ['a broken connection', () => Promise.reject(new TypeError('failed'))],
  ])('takes %s for no answer, and asks again', async (_, answer) => {
    const { client, send } = clientOver(answer);
    const failure = await client.getToken().catch((error: unknown) => error);
    expect(normalizeError(failure)).toMatchObject({ kind: 'network', message: NETWORK_ERROR });
    await expect(client.getToken()).rejects.toThrow(TypeError);
    expect(send).toHaveBeenCalledTimes(2);
  });

  it('gives up a request that hangs, so that later ones ask again', async () => {
    const send = hangingFetch();
    const client = createAuthClient({ fetch: timedFetch });
    const failures = [client.getToken(), client.getToken()].map((token) => token.catch((error: unknown) => error));
    await vi.advanceTimersByTimeAsync(LIMIT_MS);
    for (const failure of await Promise.all(failures)) {
      expect(normalizeError(failure)).toMatchObject({ kind: 'network', message: NETWORK_ERROR });
    }
    expect(send).toHaveBeenCalledOnce();
    send.mockImplementation(text('secret'));
    expect(await client.getToken()).toBe('secret');
  });

  it('forgets the token with every sign-in and sign-out', async () => {
    const { client, send } = clientOver(text('{}'));
    await client.getToken();
    await client.logout();
    await client.getToken();
    await client.login({ username: 'rosa', password: 'x' });
    await client.getToken();
    expect(send).toHaveBeenCalledTimes(5);
  });

  it('does not keep an answer from before a sign-out', async () => {
    let answerFirst: (response: Response) => void = () => undefined;
    const answers = [
      () => new Promise<Response>((resolve) => (answerFirst = resolve)),
      text(''),
      text('new'),
    ];
    const { client } = clientOver(() => (answers.shift() ?? text('late'))());
    const first = client.getToken();
    await client.logout();
    answerFirst(new Response('old'));
    await first;
    expect(await client.getToken()).toBe('new');
  });
});

describe('what is sent', () => {
  it('logout', async () => {
    const { client, send } = clientOver(text(''));
    expect(await client.logout()).toBe(true);
    expect(send).toHaveBeenCalledWith('/auth', {
      method: 'POST',
      credentials: 'include',
      body: '{"method":"logout"}',
    });
  });

  type Client = ReturnType<typeof createAuthClient>;
  it.each<[string, (client: Client) => Promise<unknown>, string]>([
    [
      'login',
      (client) => client.login({ username: 'rosa', password: 'pw' }),
      '{"username":"rosa","password":"pw","method":"login"}',
    ],
    [
      'signup',
      (client) => client.signup({ username: 'rosa', email: 'r@h.example', password: 'pw' }),
      '{"username":"rosa","email":"r@h.example","password":"pw","method":"signup"}',
    ],
    [
      'forgotPassword',
      (client) => client.forgotPassword('rosa'),
      '{"username":"rosa","method":"forgotPassword"}',
    ],
    [
      'resetPassword',
      (client) => client.resetPassword({ resetToken: 't', password: 'pw' }),
      '{"resetToken":"t","password":"pw","method":"resetPassword"}',
    ],
    [
      'validateResetToken',
      (client) => client.validateResetToken('t'),
      '{"resetToken":"t","method":"validateResetToken"}',
    ],
    [
      'validateResetToken without a token',
      (client) => client.validateResetToken(null),
      '{"resetToken":null,"method":"validateResetToken"}',
    ],
  ])('%s goes as JSON with its method in it', async (_, call, body) => {
    const { client, send } = clientOver(text('{"kind":"password"}'));
    expect(await call(client)).toEqual({ kind: 'password' });
    expect(send).toHaveBeenCalledWith('/auth', {
      method: 'POST',
      credentials: 'include',
      headers: { 'content-type': 'application/json' },
      body,
    });
  });
});

describe('a sign-out that fails', () => {
  const failures: [string, () => Promise<Response>][] = [
    ['the server', text('', 500)],
    ['a proxy', text('<html>', 503)],
    ['the connection', () => Promise.reject(new TypeError('failed'))],
  ];

  it.each(failures)('because of %s is sent again before a token is asked for', async (_, fail) => {
    const { client, send } = clientOver(fail);
    const sent = () => send.mock.calls.map(([, init]) => (init?.method === 'POST' ? 'logout' : 'getToken'));
    await expect(client.logout()).rejects.toThrow(SignOutPendingError);
    await expect(client.getToken()).rejects.toThrow(SignOutPendingError);
    expect(normalizeError(new SignOutPendingError(undefined))).toMatchObject({ kind: 'network', message: NETWORK_ERROR });
    expect(sent()).toEqual(['logout', 'logout']);
    send.mockImplementation(text(''));
    expect(await Promise.all([client.getToken(), client.getToken()])).toEqual([null, null]);
    expect(sent().slice(0, 4)).toEqual(['logout', 'logout', 'logout', 'getToken']);
    await client.getToken();
    expect(sent().filter((name) => name === 'logout')).toHaveLength(3);
  });

  it.each([
    ['not sent again after a sign-in', '{"id":"u1"}', false],
    ['sent again after a sign-in that was refused', '{"error":"no"}', true],
    ['sent again after a reply that signs nobody in', '{"message":"Closed today"}', true],
  ])('is %s', async (_, reply, isSent) => {
    const { client, send } = clientOver(text('', 503));
    await client.logout().catch(() => undefined);
    send.mockImplementation(text(reply));
    await client.login({ username: 'rosa', password: 'x' });
    send.mockClear();
    await client.getToken();
    expect(send.mock.calls.some(([, init]) => init?.method === 'POST')).toBe(isSent);
  });

  it('is over before a sign-in is sent, whose cookie its response would delete', async () => {
    let answer: (response: Response) => void = () => undefined;
    const { client, send } = clientOver(() => new Promise((resolve) => (answer = resolve)));
    const leaving = client.logout();
    const signingIn = client.login({ username: 'rosa', password: 'x' });
    await Promise.resolve();
    expect(send).toHaveBeenCalledTimes(1);
    send.mockImplementation(text('{"id":"u1"}'));
    answer(new Response(''));
    await leaving;
    expect(await signingIn).toEqual({ id: 'u1' });
  });
});

describe('an answer', () => {
  it.each([200, 201, 400, 429, 503])('is read as JSON with status %i', async (status) => {
    const { client } = clientOver(text('{"error":"no"}', status));
    expect(await client.forgotPassword('rosa')).toEqual({ error: 'no' });
  });

  it.each(['', '<html>'])('that is %j rejects', async (body) => {
    const { client } = clientOver(text(body, 502));
    await expect(client.resetPassword({})).rejects.toThrow(SyntaxError);
  });
});

it('does not keep a token that was asked for while somebody signed in', async () => {
  let signIn: (response: Response) => void = () => undefined;
  const { client } = clientOver(vi.fn<() => Promise<Response>>()
    .mockImplementationOnce(() => new Promise((resolve) => (signIn = resolve)))
    .mockImplementationOnce(text(''))
    .mockImplementation(text('new')));
  const signingIn = client.login({ username: 'rosa', password: 'x' });
  expect(await client.getToken()).toBeNull();
  signIn(new Response('{}'));
  await signingIn;
  expect(await client.getToken()).toBe('new');
});

it('asks at the address it was given', async () => {
  const send = vi.fn<(...call: Call) => Promise<Response>>(text('{}'));
  const fetched = send as unknown as typeof fetch;
  const client = createAuthClient({ url: 'https://api.example/auth', fetch: fetched });
  await client.forgotPassword('rosa');
  expect(send.mock.calls[0]?.[0]).toBe('https://api.example/auth');
});

describe('the use of a page', () => {
  function openPage() {
    const page = Object.assign(new EventTarget(), { hidden: false });
    return { page, wasUsed: watchUse(page as unknown as Document) };
  }

  it('is used when it opens, and then no more', () => {
    const { wasUsed } = openPage();
    expect([wasUsed(), wasUsed()]).toEqual([true, false]);
  });

  it.each(['pointerdown', 'keydown', 'wheel', 'click', 'visibilitychange'])('is used with a %s', (event) => {
    const { page, wasUsed } = openPage();
    wasUsed();
    page.dispatchEvent(new Event(event));
    expect([wasUsed(), wasUsed()]).toEqual([true, false]);
  });

  it('is not used when it goes out of sight', () => {
    const { page, wasUsed } = openPage();
    wasUsed();
    page.hidden = true;
    page.dispatchEvent(new Event('visibilitychange'));
    expect(wasUsed()).toBe(false);
  });
});
