// Forgotten passwords with the published client: every response is JSON, and none reveals which accounts
// exist.
import assert from 'node:assert/strict';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Browser } from '../support/browser.mjs';
import { React, admin, createAuth, ensureAdmin, failure, graphql, invited, open, renderer, signedIn, url } from '../support/clients.mjs';

before(ensureAdmin);

const ME = 'query Me { redwood { currentUser } }';
const LIST = 'query List { deliveriesCount { total } }';
const FIRST = 'molave-77-habagat';
const SECOND = 'kalesa-31-bahaghari';

function assertRefused(answer, browser) {
  assert.equal(typeof answer.error, 'string', JSON.stringify(answer));
  assert.notEqual(answer.error.trim(), '');
  assert.equal(answer.message, undefined);
  assert.equal(browser.last.status, 400);
  assert.match(browser.last.headers.get('content-type'), /^application\/json/);
  assert.deepEqual(browser.last.set, []);
}

/** Returns the links in mails, which were written to a folder instead of being sent. */
async function links() {
  const folder = join(process.env.WAYBILL_DATA, 'mail');
  const names = await readdir(folder).catch(() => []);
  const mails = await Promise.all(names.toSorted().map((name) => readFile(join(folder, name), 'utf8')));
  const whole = mails.map((mail) => mail.replace(/=\r?\n/g, '').replaceAll('=3D', '='));
  return whole.flatMap((mail) => mail.match(/\S+\/reset-password\?resetToken=\S+/) ?? []);
}

test('AUTH-A11: forgotPassword answers JSON; a blank name is an error to show', async () => {
  for (const name of ['', '   ', null]) {
    const { browser, client } = open();
    assertRefused(await client.forgotPassword(name), browser);
    assert.match(browser.last.text, /Username is required/);
  }
  const { browser, client } = open();
  assert.deepEqual(await client.forgotPassword('nobody-4711'), {});
  assert.deepEqual([browser.last.status, browser.last.text, browser.last.set], [200, '{}', []]);
});

test('AUTH-A12: forgotPassword says the same of every name, and leaves who is signed in so', async () => {
  const { browser, client, token } = await signedIn();
  assert.deepEqual(await client.forgotPassword(admin.username), {});
  const known = browser.last;
  assert.deepEqual(await client.forgotPassword('nobody-4712'), {});
  assert.deepEqual([browser.last.status, browser.last.text, browser.last.set], [known.status, known.text, known.set]);
  assert.equal(browser.cookies.size, 1);
  assert.equal((await graphql(browser, token).query(ME)).redwood.currentUser.username, admin.username);
});

test('AUTH-A13: a token that is none is an error to show, wherever it is used', async () => {
  for (const bad of ['nope', '', ' ', 'x'.repeat(5_000)]) {
    const { browser, client } = open();
    assertRefused(await client.validateResetToken(bad), browser);
    assertRefused(await client.resetPassword({ resetToken: bad, password: FIRST }), browser);
  }
  const { browser, client } = open();
  assertRefused(await client.validateResetToken(null), browser);
  assertRefused(await client.resetPassword({ resetToken: '', password: '' }), browser);
  assertRefused(await client.resetPassword({}), browser);
});

test('a link of an admin: looked at, used once, and nobody is signed in by it', async () => {
  const { token } = await signedIn();
  const { username, resetToken } = await invited(token, 'reset-once', ['viewer']);
  const { browser, client } = open();
  assert.deepEqual(await client.validateResetToken(resetToken), { kind: 'password' });
  const short = await client.resetPassword({ resetToken, password: 'short' });
  assertRefused(short, browser);
  assert.deepEqual(Object.keys(short.fields), ['password']);
  assert.deepEqual(await client.validateResetToken(resetToken), { kind: 'password' }, 'looking does not use it up');

  assert.deepEqual(await client.resetPassword({ resetToken, password: FIRST }), {});
  assert.deepEqual([browser.last.status, browser.last.set, browser.cookies.size], [200, [], 0]);
  assert.equal(await client.getToken(), null);
  assertRefused(await client.validateResetToken(resetToken), browser);
  assertRefused(await client.resetPassword({ resetToken, password: SECOND }), browser);
  assert.equal((await client.login({ username, password: FIRST })).username, username);
});

test('the whole way: forgotten, mailed, reset; what was signed in before is out at once', async () => {
  const { token } = await signedIn();
  const { username, resetToken } = await invited(token, 'forgetful', ['viewer']);
  const owner = open();
  await owner.client.resetPassword({ resetToken, password: FIRST });
  await owner.client.login({ username, password: FIRST });
  const ownerToken = await owner.client.getToken();
  await graphql(owner.browser, ownerToken).query(LIST);

  const known = await links();
  const { browser, client } = open();
  assert.deepEqual(await client.forgotPassword(username), {});
  const deadline = Date.now() + 10_000;
  let fresh = [];
  while (fresh.length === 0) {
    assert.ok(Date.now() < deadline, 'no mail was written');
    await delay(50);
    fresh = (await links()).filter((link) => !known.includes(link));
  }
  const mailed = new URL(fresh[0], url).searchParams.get('resetToken');
  assert.deepEqual(await client.validateResetToken(mailed), { kind: 'password' });
  assert.deepEqual(await client.resetPassword({ resetToken: mailed, password: SECOND }), {});
  assert.equal(browser.cookies.size, 0);

  const error = await failure(graphql(owner.browser, ownerToken).query(LIST));
  assert.equal(error.graphQLErrors[0].extensions.code, 'UNAUTHENTICATED');
  const copy = open(owner.browser.copy());
  assert.equal(await copy.client.getToken(), null);
  const again = open();
  assert.equal(typeof (await again.client.login({ username, password: FIRST })).error, 'string');
  assert.equal((await again.client.login({ username, password: SECOND })).username, username);
});

test('the hook of @redwoodjs/auth passes the answers on and stays settled', async (t) => {
  const realError = console.error;
  console.error = () => {};
  const { client } = open();
  const { AuthProvider, useAuth } = createAuth(client);
  let state;
  let tree;
  let settled;
  const Reader = () => {
    state = useAuth();
    if (!state.loading) settled?.();
    return null;
  };
  await renderer.act(async () => {
    const known = new Promise((resolve) => {
      settled = resolve;
    });
    tree = renderer.create(React.createElement(AuthProvider, null, React.createElement(Reader)));
    await known;
  });
  t.after(async () => {
    await renderer.act(async () => tree.unmount());
    console.error = realError;
  });
  let answers;
  await renderer.act(async () => {
    answers = [
      await state.forgotPassword('nobody-4713'),
      await state.validateResetToken('nope'),
      await state.resetPassword({ resetToken: 'nope', password: FIRST }),
    ];
  });
  assert.deepEqual(answers[0], {});
  assert.equal(typeof answers[1].error, 'string');
  assert.equal(typeof answers[2].error, 'string');
  await renderer.act(async () => {
    assert.equal(typeof (await state.signUp({ username: 'x', email: 'x@example.ph', password: FIRST })).error, 'string');
  });
  assert.deepEqual([state.loading, state.isAuthenticated, state.hasError], [false, false, false]);
});

test('another site cannot ask for any of it', async () => {
  const { token } = await signedIn();
  const { resetToken } = await invited(token, 'not-by-others', []);
  const asks = [
    { method: 'forgotPassword', username: admin.username },
    { method: 'validateResetToken', resetToken },
    { method: 'resetPassword', resetToken, password: FIRST },
    { method: 'signup', username: 'x', email: 'x@example.ph', password: FIRST },
  ];
  for (const ask of asks) {
    for (const headers of [{ origin: 'https://evil.example' }, { 'sec-fetch-site': 'cross-site' }]) {
      const browser = new Browser(url);
      await browser.post('/auth', ask, { 'content-type': 'text/plain', ...headers });
      assert.equal(browser.last.status, 403, `${ask.method} ${JSON.stringify(headers)}`);
      assert.equal(typeof JSON.parse(browser.last.text).error, 'string');
    }
  }
  assert.deepEqual(await open().client.validateResetToken(resetToken), { kind: 'password' }, 'the link is unused');
});
