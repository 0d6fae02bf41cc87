import { describe, expect, it, vi } from 'vitest';
import { NETWORK_ERROR } from '@/data/errors';
import { rosa as rosaReply } from '@/test/fake-server';
import type { AuthClient } from './auth-client';
import { createAuthStore, OfficeUnknownError } from './auth-store';
import { type CurrentUser, DEFAULT_RULES, type UserReply } from './current-user';

const rosa: CurrentUser = { ...rosaReply, settings: DEFAULT_RULES };

function setUp(
  over: Partial<AuthClient> = {},
  fetchUser: () => Promise<UserReply> = () => Promise.resolve(rosa),
) {
  const client: AuthClient = {
    type: 'dbAuth',
    getToken: () => Promise.resolve('token'),
    forgetToken: vi.fn<() => void>(),
    login: () => Promise.resolve({}),
    logout: () => Promise.resolve(true),
    signup: () => Promise.resolve({}),
    ...over,
  };
  return createAuthStore(client, fetchUser);
}

it('is loading at first', () => {
  expect(setUp().getState()).toMatchObject({ loading: true, isAuthenticated: false });
});

describe('reauthenticate', () => {
  it('reads the user of the token', async () => {
    const store = setUp();
    await store.reauthenticate();
    expect(store.getState()).toEqual({
      loading: false,
      isAuthenticated: true,
      currentUser: rosa,
      userMetadata: 'token',
      isExpired: false,
      hasError: false,
      error: null,
    });
  });

  it('asks for no user without a token', async () => {
    const fetchUser = vi.fn(() => Promise.resolve(rosa));
    const store = setUp({ getToken: () => Promise.resolve(null) }, fetchUser);
    await store.reauthenticate();
    expect(store.getState()).toMatchObject({ loading: false, isAuthenticated: false });
    expect(fetchUser).not.toHaveBeenCalled();
  });

  it('keeps the error of a failure', async () => {
    const error = new Error('Could not fetch current user: Bad Gateway (502)');
    const store = setUp({}, () => Promise.reject(error));
    await store.reauthenticate();
    expect(store.getState()).toMatchObject({ hasError: true, error, isAuthenticated: false });
  });

  it('does not sign in again whoever left meanwhile', async () => {
    let answer: (user: CurrentUser) => void = () => undefined;
    const store = setUp({}, () => new Promise((resolve) => (answer = resolve)));
    const reading = store.reauthenticate();
    await store.logOut();
    answer(rosa);
    await reading;
    expect(store.getState().isAuthenticated).toBe(false);
  });
});

describe('logIn', () => {
  it('loads, then knows the user', async () => {
    const store = setUp();
    const states: boolean[] = [];
    store.subscribe(() => states.push(store.getState().loading));
    expect(await store.logIn({ username: 'rosa', password: 'x' })).toEqual({});
    expect(states).toEqual([true, false]);
    expect(store.getState().isAuthenticated).toBe(true);
  });

  it('ends the loading state after a failure too', async () => {
    const store = setUp({
      login: () => Promise.reject(new SyntaxError('Unexpected end of JSON input')),
      getToken: () => Promise.resolve(null),
    });
    await expect(store.logIn({ username: 'rosa', password: 'x' })).rejects.toThrow(SyntaxError);
    expect(store.getState().loading).toBe(false);
  });
});

it('clears the user with logOut, even when the server does not answer', async () => {
  const store = setUp({ logout: () => Promise.reject(new TypeError('failed')) });
  await store.reauthenticate();
  await store.logOut();
  expect(store.getState()).toMatchObject({ isAuthenticated: false, currentUser: null, hasError: true });
  expect(store.getState().error?.message).toBe(NETWORK_ERROR);
});

describe('a session that has expired', () => {
  async function expired(client: Parameters<typeof setUp>[0] = {}) {
    const store = setUp(client);
    await store.reauthenticate();
    store.expire();
    return store;
  }

  it('keeps the user, and forgets the token', async () => {
    const store = await expired();
    expect(store.getState()).toMatchObject({
      isAuthenticated: true,
      isExpired: true,
      currentUser: rosa,
      userMetadata: null,
    });
    expect(store.client.forgetToken).toHaveBeenCalled();
  });

  it('goes on with the password of the same user', async () => {
    const login = vi.fn(() => Promise.resolve({ id: 'u1' }));
    const store = await expired({ login });
    expect(await store.resume('right')).toEqual({ id: 'u1' });
    expect(login).toHaveBeenCalledWith({ username: rosa.username, password: 'right' });
    expect(store.getState()).toMatchObject({ isAuthenticated: true, isExpired: false, currentUser: rosa });
  });

  it('stays as it is while the server refuses', async () => {
    const store = await expired({ login: () => Promise.resolve({ error: 'Incorrect password' }) });
    expect(await store.resume('wrong')).toEqual({ error: 'Incorrect password' });
    expect(store.getState()).toMatchObject({ isExpired: true, currentUser: rosa });
  });

  it('is not ended again by an answer to what was asked while it was signed in anew', async () => {
    let asked: number | undefined;
    const store = await expired({
      login: () => {
        asked = store.getSignInCount();
        return Promise.resolve({ id: 'u1' });
      },
    });
    await store.resume('right');
    expect(asked).toBeDefined();
    expect(asked).not.toBe(store.getSignInCount());
  });

  it('gives no token, which may be that of another user', async () => {
    const store = await expired();
    expect(await store.getToken()).toBeNull();
    await store.resume('right');
    expect(await store.getToken()).toBe('token');
  });

  it('ends when it is left', async () => {
    const store = await expired();
    store.leave();
    expect(store.getState()).toMatchObject({ isAuthenticated: false, isExpired: false, currentUser: null });
  });
});

it('asks who is signed in after a sign-up', async () => {
  const signup = vi.fn(() => Promise.resolve({ message: 'Made.' }));
  const store = setUp({ signup });
  expect(await store.signUp({ username: 'rosa' })).toEqual({ message: 'Made.' });
  expect(signup).toHaveBeenCalledWith({ username: 'rosa' });
  expect(store.getState()).toMatchObject({ isAuthenticated: true, currentUser: rosa });
});

describe('the functions about passwords', () => {
  it('are those of the client, and change nothing about who is signed in', async () => {
    const client = {
      forgotPassword: vi.fn(() => Promise.resolve({})),
      resetPassword: vi.fn(() => Promise.resolve({ error: 'no' })),
      validateResetToken: vi.fn(() => Promise.resolve({ kind: 'pin' })),
    };
    const store = setUp(client);
    const before = store.getState();
    expect(await store.forgotPassword('rosa')).toEqual({});
    expect(await store.resetPassword({ resetToken: 't', password: 'x' })).toEqual({ error: 'no' });
    expect(await store.validateResetToken(null)).toEqual({ kind: 'pin' });
    expect(client.forgotPassword).toHaveBeenCalledWith('rosa');
    expect(client.resetPassword).toHaveBeenCalledWith({ resetToken: 't', password: 'x' });
    expect(client.validateResetToken).toHaveBeenCalledWith(null);
    expect(store.getState()).toBe(before);
  });

  it('say so when the client has none', async () => {
    const store = setUp({ type: 'custom' });
    const message = 'Auth client custom does not implement this function';
    await expect(store.forgotPassword('rosa')).rejects.toThrow(message);
    await expect(store.resetPassword({})).rejects.toThrow(message);
    await expect(store.validateResetToken('t')).rejects.toThrow(message);
  });
});

describe('a session that is in doubt', () => {
  const other = { ...rosa, id: 'u2', username: 'benjie' };

  function doubted(token: () => Promise<string | null>, user: () => Promise<CurrentUser>) {
    let asked = false;
    const store = setUp(
      { getToken: () => (asked ? token() : Promise.resolve('token')) },
      () => (asked ? user() : Promise.resolve(rosa)),
    );
    return {
      store,
      async start({ isExpired = false } = {}) {
        await store.reauthenticate();
        if (isExpired) store.expire();
        asked = true;
        const before = store.getState();
        return before;
      },
    };
  }

  it.each([false, true])('goes on with the one that another tab began, expired or not: %s', async (isExpired) => {
    const again = { ...rosa, news: ['Road closed'] };
    const { store, start } = doubted(() => Promise.resolve('newer'), () => Promise.resolve(again));
    await start({ isExpired });
    const count = store.getSignInCount();
    expect(await store.checkSession()).toBe(true);
    expect(store.client.forgetToken).toHaveBeenCalled();
    expect(store.getState()).toMatchObject({
      isAuthenticated: true,
      isExpired: false,
      currentUser: again,
      userMetadata: 'newer',
    });
    expect(store.getSignInCount() > count).toBe(isExpired);
  });

  it('is no longer that of this user when somebody else has signed in', async () => {
    const { store, start } = doubted(() => Promise.resolve('theirs'), () => Promise.resolve(other));
    const before = await start({ isExpired: true });
    expect(await store.checkSession()).toBe(false);
    expect(store.getState()).toBe(before);
  });

  it('has ended when the server says that nobody is signed in', async () => {
    const { store, start } = doubted(() => Promise.resolve(null), () => Promise.resolve(rosa));
    await start();
    expect(await store.checkSession()).toBe(false);
  });

  it.each<[string, () => Promise<string | null>, () => Promise<CurrentUser>]>([
    ['the token cannot be fetched', () => Promise.reject(new TypeError('failed')), () => Promise.resolve(rosa)],
    ['the user cannot be fetched', () => Promise.resolve('token'), () => Promise.reject(new TypeError('failed'))],
    ['the token has no user', () => Promise.resolve('token'), () => Promise.resolve(null as unknown as CurrentUser)],
  ])('stays as it is when %s', async (_, token, user) => {
    const { store, start } = doubted(token, user);
    const before = await start();
    expect(await store.checkSession()).toBeUndefined();
    await store.refresh();
    expect(store.getState()).toBe(before);
  });

  it('is asked about once at a time, and not brought back when it was left meanwhile', async () => {
    const token = vi.fn(() => Promise.resolve('newer'));
    const { store, start } = doubted(token, () => Promise.resolve(rosa));
    await start();
    const checks = [store.checkSession(), store.checkSession()];
    store.leave();
    expect(await Promise.all(checks)).toEqual([undefined, undefined]);
    expect(token).toHaveBeenCalledOnce();
    expect(store.getState()).toMatchObject({ isAuthenticated: false, currentUser: null });
  });
});

describe('behind what is shown', () => {
  const updated = { ...rosa, news: ['Road closed'] };

  it('the user is read anew', async () => {
    let token: string | null = 'token';
    let answer: CurrentUser = rosa;
    const store = setUp({ getToken: () => Promise.resolve(token) }, () => Promise.resolve(answer));
    await store.reauthenticate();
    answer = updated;
    await store.refresh();
    expect(store.getState()).toMatchObject({ isAuthenticated: true, currentUser: updated });
    token = null;
    await store.refresh();
    expect(store.getState().isExpired).toBe(true);
  });

  it('a failure changes nothing', async () => {
    const getToken = vi.fn(() => Promise.resolve('token'));
    const fetchUser = vi.fn(() => Promise.resolve(rosa));
    const store = setUp({ getToken }, fetchUser);
    await store.reauthenticate();
    fetchUser.mockRejectedValueOnce(new Error('Could not fetch current user: Bad Gateway (502)'));
    await store.refresh();
    expect(store.getState()).toMatchObject({ isAuthenticated: true, isExpired: false, hasError: false });
    getToken.mockRejectedValueOnce(new TypeError('failed'));
    await store.refresh();
    expect(store.getState()).toMatchObject({ isAuthenticated: true, isExpired: false, hasError: false });
  });

  it('nobody is brought back who left meanwhile', async () => {
    const store = setUp();
    await store.reauthenticate();
    const reading = store.refresh();
    await store.logOut();
    await reading;
    store.update(updated);
    expect(store.getState().currentUser).toBeNull();
  });

  it('what the server updated counts, of nobody else', async () => {
    const store = setUp();
    await store.reauthenticate();
    store.update({ ...updated, id: 'u2' });
    expect(store.getState().currentUser).toEqual(rosa);
    store.update(updated);
    expect(store.getState().currentUser).toEqual(updated);
  });

  it.each([
    ['goes on when it was late, and the user is still signed in', rosa, false],
    ['ends when somebody else is signed in', { ...rosa, id: 'u2', username: 'benjie' }, true],
  ])('a session that gets the update of another user %s', async (_, signedIn, isExpired) => {
    let answer: CurrentUser = rosa;
    const store = setUp({}, () => Promise.resolve(answer));
    await store.reauthenticate();
    answer = signedIn;
    store.update({ ...updated, id: 'u2' });
    await store.checkSession();
    await Promise.resolve();
    expect(store.getState()).toMatchObject({ isExpired, currentUser: rosa });
  });
});

describe('a server that does not know the organization yet', () => {
  const { organization: _, settings: __, ...unknown } = rosa;

  it('changes nothing of it', async () => {
    let answer: UserReply = { ...rosa, settings: { ...DEFAULT_RULES, maxAttempts: 7 } };
    const store = setUp({}, () => Promise.resolve(answer));
    await store.reauthenticate();
    const { organization, settings } = answer;
    answer = { ...unknown, news: ['Road closed'] };
    await store.refresh();
    expect(store.getState().currentUser).toEqual({ ...answer, organization, settings });
    store.update(unknown);
    expect(store.getState().currentUser).toEqual({ ...unknown, organization, settings });
    await store.logOut();
    await store.logIn({ username: 'rosa', password: 'x' });
    expect(store.getState().currentUser).toMatchObject({ organization, settings });
  });

  it('signs nobody in where it is not known either', async () => {
    const store = setUp({}, () => Promise.resolve(unknown));
    await store.reauthenticate();
    expect(store.getState()).toMatchObject({ isAuthenticated: false, hasError: true });
    expect(store.getState().error?.cause).toBeInstanceOf(OfficeUnknownError);
  });
});

describe('a token', () => {
  /** An access token like those of the server. The name has characters that base64 and base64url write differently. */
  const tokenOf = (sub: string) =>
    ['e30', Buffer.from(JSON.stringify({ name: 'Añò?>~ÿÿ', sub })).toString('base64url'), 'x'].join('.');

  async function signedIn() {
    const getToken = vi.fn<AuthClient['getToken']>(() => Promise.resolve(tokenOf('u1')));
    const store = setUp({ getToken });
    await store.reauthenticate();
    return { store, getToken };
  }

  it('of the current user is given', async () => {
    const { store } = await signedIn();
    expect(await store.getToken()).toBe(tokenOf('u1'));
    expect(store.getState().isExpired).toBe(false);
  });

  it('of somebody else, who signed in in another tab, is not given, and the session has ended', async () => {
    const { store, getToken } = await signedIn();
    getToken.mockResolvedValue(tokenOf('u2'));
    expect(await store.getToken()).toBeNull();
    expect(store.getState()).toMatchObject({ isExpired: true, currentUser: rosa });
  });

  it('is given to whoever is not known yet', async () => {
    const store = setUp({ getToken: () => Promise.resolve(tokenOf('u2')) });
    expect(await store.getToken()).toBe(tokenOf('u2'));
  });

  it.each(['token', 'a.b.c', `a.${btoa('null')}.c`, `a.${btoa('{}')}.c`])('without an owner is given: %s', async (token) => {
    const { store, getToken } = await signedIn();
    getToken.mockResolvedValue(token);
    expect(await store.getToken()).toBe(token);
    expect(store.getState().isExpired).toBe(false);
  });

  it('that was asked for before the session ended is not given', async () => {
    const { store } = await signedIn();
    const asked = store.getToken();
    store.expire();
    expect(await asked).toBeNull();
  });

  it('that was asked for before the last sign-in does not end the new session', async () => {
    const { store, getToken } = await signedIn();
    let answer: (token: string) => void = () => undefined;
    getToken.mockReturnValueOnce(new Promise((resolve) => (answer = resolve)));
    const asked = store.getToken();
    await store.logIn({ username: 'rosa', password: 'x' });
    answer(tokenOf('u2'));
    expect(await asked).toBeNull();
    expect(store.getState().isExpired).toBe(false);
  });
});
