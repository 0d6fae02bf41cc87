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
