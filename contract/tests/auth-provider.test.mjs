// AUTH-A9: the provider and hook of @redwoodjs/auth, from which pages learn who is signed in.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { React, admin, createAuth, ensureAdmin, open, renderer, signedIn, url } from '../support/clients.mjs';

before(ensureAdmin);

// react-test-renderer prints at every use that it is deprecated. Nothing else may be printed.
const said = [];
const realError = console.error;
console.error = (...words) => said.push(words.join(' '));
after(() => {
  console.error = realError;
  assert.deepEqual(said.filter((line) => !line.includes('react-test-renderer is deprecated')), []);
});

/** Mounts the provider and waits until it knows who is signed in. */
async function mount(t, client) {
  const { AuthProvider, useAuth } = createAuth(client);
  let state;
  let settled;
  const Reader = () => {
    state = useAuth();
    if (!state.loading) settled?.();
    return null;
  };
  let tree;
  await renderer.act(async () => {
    const known = new Promise((resolve) => {
      settled = resolve;
    });
    tree = renderer.create(React.createElement(AuthProvider, null, React.createElement(Reader)));
    await known;
  });
  t.after(() => renderer.act(async () => tree.unmount()));
  return { read: () => state, act: renderer.act };
}

test('AUTH-A9: whoever is signed in is known with roles, through exactly the client’s GraphQL call', async (t) => {
  const { browser, client, token } = await signedIn();
  const { read } = await mount(t, client);
  const state = read();
  assert.equal(state.hasError, false);
  assert.equal(state.isAuthenticated, true);
  assert.equal(state.userMetadata, token);
  const { id, username, roles, news } = state.currentUser;
  assert.equal(typeof id, 'string');
  assert.equal(username, admin.username);
  assert.deepEqual(roles, ['admin']);
  assert.ok(Array.isArray(news));
  assert.equal(state.hasRole('admin'), true);
  assert.equal(state.hasRole(['dispatcher', 'admin']), true);
  assert.equal(state.hasRole('dispatcher'), false);
  const { sent } = browser.exchanges.find((it) => it.sent.url === `${url}/graphql`);
  assert.equal(sent.headers['content-type'], 'application/json');
  assert.equal(sent.headers['auth-provider'], 'dbAuth');
  assert.equal(sent.headers.authorization, `Bearer ${token}`);
  assert.deepEqual(Object.keys(JSON.parse(sent.body)), ['query']);
});

test('nobody signed in is a settled state without an error', async (t) => {
  const { client } = open();
  const { read } = await mount(t, client);
  const { currentUser, hasError, isAuthenticated, loading } = read();
  assert.deepEqual({ currentUser, hasError, isAuthenticated, loading }, {
    currentUser: null,
    hasError: false,
    isAuthenticated: false,
    loading: false,
  });
});

test('logIn and logOut of the hook; a refused logIn does not leave it loading for ever', async (t) => {
  const { client } = open();
  const { act, read } = await mount(t, client);
  let answer;
  await act(async () => {
    answer = await read().logIn({ username: admin.username, password: 'not-the-password' });
  });
  assert.equal(typeof answer.error, 'string');
  assert.deepEqual([read().loading, read().isAuthenticated], [false, false]);

  await act(async () => {
    answer = await read().logIn({ username: admin.username, password: admin.password });
  });
  assert.equal(answer.error, undefined);
  assert.deepEqual([read().loading, read().isAuthenticated], [false, true]);

  await act(async () => {
    await read().logOut();
  });
  assert.deepEqual([read().isAuthenticated, read().currentUser], [false, null]);
});
