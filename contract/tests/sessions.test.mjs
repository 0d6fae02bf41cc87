// What a session allows, where, and when it ends.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { Browser } from '../support/browser.mjs';
import { SESSION, admin, ensureAdmin, failure, graphql, open, signedIn, url } from '../support/clients.mjs';

before(ensureAdmin);

const LIST = 'query List { deliveriesCount { total } }';
const ME = 'query Me { redwood { currentUser } }';
const right = { username: admin.username, password: admin.password };

async function assertRefused(call) {
  const error = await failure(call);
  assert.equal(error.graphQLErrors[0].extensions.code, 'UNAUTHENTICATED');
}

test('a copied cookie is dead after the owner signs out', async () => {
  const { browser, client } = await signedIn();
  const thief = open(browser.copy());
  assert.ok(await thief.client.getToken(), 'the copy works while the session lives');
  globalThis.fetch = browser.fetch;
  await client.logout();
  const again = open(browser.copy());
  again.browser.cookies = new Map(thief.browser.cookies);
  assert.equal(await again.client.getToken(), null);
  assert.deepEqual([again.browser.last.status, again.browser.last.text], [200, '']);
});

test('a token is dead at once after sign-out, also one that was just used', async () => {
  const { browser, client, token } = await signedIn();
  const anywhere = new Browser(url);
  await graphql(anywhere, token).query(LIST);
  await client.logout();
  await assertRefused(graphql(anywhere, token).query(LIST));
  assert.equal(anywhere.last.status, 200);
  assert.equal((await graphql(anywhere, token).query(ME)).redwood.currentUser, null);
  await anywhere.post('/request-upload-link', { filename: 'a.csv' }, { authorization: `Bearer ${token}` });
  assert.equal(anywhere.last.status, 401);
  assert.equal(browser.cookies.size, 0);
});

test('the cookie alone is nobody outside of /auth', async () => {
  const { browser } = await signedIn();
  await assertRefused(graphql(browser).query(LIST));
  assert.ok(browser.last.sent.headers.cookie, 'the cookie was sent');
  assert.equal((await graphql(browser).query(ME)).redwood.currentUser, null);
  await browser.post('/request-upload-link', { filename: 'a.csv' });
  assert.equal(browser.last.status, 401);
});

test('the token is no session: /auth does not take it', async () => {
  const { token } = await signedIn();
  const browser = new Browser(url);
  await browser.fetch('/auth?method=getToken', { headers: { authorization: `Bearer ${token}`, cookie: `${SESSION}=${token}` } });
  assert.deepEqual([browser.last.status, browser.last.text], [200, '']);
});

test('a token that was changed or made up is refused', async () => {
  const { token } = await signedIn();
  const middle = Math.floor(token.length / 2);
  const other = token[middle] === 'A' ? 'B' : 'A';
  const changed = `${token.slice(0, middle)}${other}${token.slice(middle + 1)}`;
  const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${token.split('.')[1] ?? ''}.`;
  for (const wrong of [changed, unsigned, 'undefined', 'null', '1', `${token}.`, token.slice(0, -4)]) {
    await assertRefused(graphql(new Browser(url), wrong).query(LIST));
  }
});

test('signing in again ends the session this browser had, and no other', async () => {
  const elsewhere = await signedIn();
  const { browser, client, token } = await signedIn();
  const old = browser.copy();
  assert.ok(await client.login(right));
  const fresh = await client.getToken();
  assert.notEqual(fresh, token);
  await assertRefused(graphql(new Browser(url), token).query(LIST));
  assert.equal(await open(old).client.getToken(), null);
  await graphql(new Browser(url), fresh).query(LIST);
  await graphql(new Browser(url), elsewhere.token).query(LIST);
});

test('a session is new with every sign-in: what a browser brings along never becomes one', async () => {
  const { browser, client } = open();
  browser.cookies.set(SESSION, 'A'.repeat(43));
  await client.login(right);
  assert.notEqual(browser.cookies.get(SESSION), 'A'.repeat(43));
});

test('a POST of another site is refused: no sign-in, and no sign-out', async () => {
  const { browser } = await signedIn();
  const foreign = [
    { origin: 'https://evil.example' },
    { origin: 'null' },
    { origin: url.replace('http:', 'https:') },
    { origin: url.replace(/\d+$/, '1') },
    { origin: `${url}.evil.example` },
    { 'sec-fetch-site': 'cross-site', origin: url },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'cross-site' },
  ];
  for (const headers of foreign) {
    const what = JSON.stringify(headers);
    // Send what a form of another site could send: browsers send simple content types without a preflight
    // request.
    await browser.post('/auth', { method: 'logout' }, { 'content-type': 'text/plain', ...headers });
    assert.equal(browser.last.status, 403, what);
    assert.equal(typeof JSON.parse(browser.last.text).error, 'string');
    assert.deepEqual(browser.last.set, [], what);
    const anon = new Browser(url);
    await anon.post('/auth', { method: 'login', ...right }, { 'content-type': 'text/plain', ...headers });
    assert.equal(anon.last.status, 403, what);
    assert.equal(anon.cookies.size, 0, what);
  }
  assert.ok(await open(browser).client.getToken(), 'the session is still alive');
});

test('a POST of our own page passes, with what a browser says about it', async () => {
  for (const headers of [{ origin: url }, { origin: url, 'sec-fetch-site': 'same-origin' }, { 'sec-fetch-site': 'none' }]) {
    const { browser, client } = open();
    browser.always = headers;
    assert.equal((await client.login(right)).username, admin.username);
    await client.logout();
    assert.equal(browser.cookies.size, 0);
  }
});
