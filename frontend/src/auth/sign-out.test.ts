import { expect, it, vi } from 'vitest';
import { rosa } from '@/test/fake-server';
import { createAuthClient, SignOutPendingError } from './auth-client';
import { createAuthStore } from './auth-store';

/** Storage of a browser. */
function fakeStorage() {
  const values = new Map<string, string>();
  return {
    get length() {
      return values.size;
    },
    key: (at: number) => [...values.keys()][at] ?? null,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    entries: () => [...values],
  };
}

it.each([
  ['a lost connection', () => Promise.reject(new TypeError('failed'))],
  ['a proxy without a server behind it', () => Promise.resolve(new Response('', { status: 503 }))],
])('signs nobody in by the cookie of a user whose sign-out failed because of %s', async (_, fail) => {
  vi.stubGlobal('localStorage', fakeStorage());
  let isReached = false;
  let token = 'token';
  const calls: string[] = [];
  const send = (_url: unknown, init?: RequestInit): Promise<Response> => {
    const isSignOut = init?.method === 'POST';
    calls.push(isSignOut ? 'logout' : 'getToken');
    if (isSignOut && !isReached) return fail();
    if (isSignOut) token = '';
    return Promise.resolve(new Response(token));
  };
  /** Loads the page; the browser keeps its storage and its cookie. */
  async function load() {
    const store = createAuthStore(createAuthClient({ fetch: send }), () => Promise.resolve(rosa));
    await store.reauthenticate();
    return store;
  }
  const first = await load();
  expect(first.getState().isAuthenticated).toBe(true);
  await first.logOut();
  const second = await load();
  expect(second.getState()).toMatchObject({ isAuthenticated: false, currentUser: null, hasError: true });
  expect(second.getState().error?.cause).toBeInstanceOf(SignOutPendingError);
  expect(calls).toEqual(['getToken', 'logout', 'logout']);
  isReached = true;
  const third = await load();
  expect(third.getState()).toMatchObject({ isAuthenticated: false, hasError: false });
  expect(calls.slice(3)).toEqual(['logout', 'getToken']);
  await load();
  expect(calls.slice(5)).toEqual(['getToken']);
});

it('signs in after the sign-out that another tab repeats, whose response deletes the cookie', async () => {
  vi.stubGlobal('localStorage', fakeStorage());
  let last: Promise<unknown> = Promise.resolve();
  const locks = {
    request: (_name: string, _options: unknown, work: () => Promise<unknown>) => {
      const own = last.then(work);
      last = own.catch(() => undefined);
      return own;
    },
  };
  vi.stubGlobal('navigator', { locks });
  let fails = true;
  let answer: (() => void) | undefined;
  const calls: string[] = [];
  const send = async (_url: unknown, init?: RequestInit): Promise<Response> => {
    const { method } = JSON.parse((init?.body as string | undefined) ?? '{"method":"getToken"}') as { method: string };
    calls.push(method);
    if (method === 'login') return Response.json({ id: 'u2' });
    if (method === 'getToken') return new Response('');
    if (fails) throw new TypeError('failed');
    await new Promise<void>((resolve) => (answer = resolve));
    return new Response('');
  };
  const [first, second, third] = [1, 2, 3].map(() => createAuthClient({ fetch: send }));
  await expect(first?.logout()).rejects.toBeInstanceOf(SignOutPendingError);
  fails = false;
  const repeated = first?.getToken();
  const login = second?.login({ username: 'rosa', password: 'secret' });
  await vi.waitFor(() => expect(answer).toBeDefined());
  expect(calls).toEqual(['logout', 'logout']);
  answer?.();
  await Promise.all([repeated, login]);
  await third?.getToken();
  // Nobody signs the new session out.
  expect(calls.filter((call) => call !== 'getToken')).toEqual(['logout', 'logout', 'login']);
});

it('leaves the work of another user, whom another tab has signed in, when an expired user leaves', async () => {
  const local = fakeStorage();
  vi.stubGlobal('localStorage', local);
  const work = { 'waybill.recent.u1': '["DR-1"]', 'waybill.list.deliveries.view.u1': '"?filters=a"' };
  const others = { 'waybill.query-lab.u2': '{"tabs":[]}', 'waybill.list.deliveries.view.u2': '"?filters=b"' };
  for (const [key, value] of Object.entries({ ...work, ...others })) local.setItem(key, value);
  const client = createAuthClient({ fetch: () => Promise.resolve(new Response('token')) });
  const store = createAuthStore(client, () => Promise.resolve(rosa));
  await store.reauthenticate();
  store.expire();
  store.leave();
  expect(local.entries()).toEqual(Object.entries(others));
});

it.each(['logOut', 'leave'] as const)('leaves nothing of the work of a person in the browser: %s', async (way) => {
  const [local, session] = [fakeStorage(), fakeStorage()];
  vi.stubGlobal('localStorage', local);
  vi.stubGlobal('sessionStorage', session);
  const settings = {
    'waybill.theme': 'dark',
    'waybill.list.deliveries.density': '"compact"',
    'waybill.list.deliveries.view.u2': '"late"',
  };
  const work = {
    'waybill.query-lab.u1': '{"tabs":[]}',
    'waybill.recent.u1': '["DR-1"]',
    'waybill.recent.u2': '["DR-2"]',
    'waybill.list.deliveries.view': '"?filters=customername"',
    'waybill.list.deliveries.view.u1': '"?filters=customername"',
  };
  for (const [key, value] of Object.entries({ ...settings, ...work })) local.setItem(key, value);
  session.setItem('waybill.new-delivery.u1', '{"head":{}}');
  session.setItem('waybill.list.deliveries.place', '{"search":"?filters=customername"}');
  session.setItem('waybill.build', '1');
  const store = createAuthStore(createAuthClient({ fetch: () => Promise.resolve(new Response('')) }), () => Promise.resolve(rosa));
  await store[way]();
  expect(local.entries()).toEqual(Object.entries(settings));
  expect(session.entries()).toEqual([['waybill.build', '1']]);
});
