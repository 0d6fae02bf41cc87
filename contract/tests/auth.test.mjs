// @redwoodjs/auth-dbauth-web with /auth: every call that the product uses, and what the client does with the
// response. The ids are those of the wire contract's acceptance table.
import assert from 'node:assert/strict';
import { before, mock, test } from 'node:test';
import { Browser, readCookie } from '../support/browser.mjs';
import { SESSION, admin, ensureAdmin, open, signedIn, url } from '../support/clients.mjs';

before(ensureAdmin);

const CURRENT_USER = 'query __REDWOOD__AUTH_GET_CURRENT_USER { redwood { currentUser } }';
const right = { username: admin.username, password: admin.password };

function assertRefused(answer, browser) {
  assert.equal(typeof answer.error, 'string', JSON.stringify(answer));
  assert.notEqual(answer.error.trim(), '');
  assert.ok(browser.last.status >= 400 && browser.last.status < 500, `status ${browser.last.status}`);
  assert.match(browser.last.headers.get('content-type'), /^application\/json/);
  assert.equal(browser.cookies.size, 0);
}

test('AUTH-A1: getToken of nobody is null, from status 200 and an empty body', async () => {
  const { browser, client } = open();
  assert.equal(await client.getToken(), null);
  assert.equal(browser.last.sent.url, `${url}/auth?method=getToken`);
  assert.deepEqual([browser.last.status, browser.last.text], [200, '']);
});

test('AUTH-A2: blank fields are refused with an error text', async () => {
  for (const [username, password] of [['', ''], ['  ', right.password], [right.username, '']]) {
    const { browser, client } = open();
    assertRefused(await client.login({ username, password }), browser);
  }
});

test('AUTH-A3: a wrong password is refused with an error text', async () => {
  const { browser, client } = open();
  assertRefused(await client.login({ ...right, password: `${right.password}x` }), browser);
});

test('AUTH-A4: a wrong password and an unknown name look the same', async () => {
  const known = open();
  const wrong = await known.client.login({ ...right, password: 'not-the-password' });
  const unknown = open();
  const nobody = await unknown.client.login({ username: 'nobody-here', password: 'not-the-password' });
  assert.deepEqual(nobody, wrong);
  assert.equal(unknown.browser.last.status, known.browser.last.status);
});

test('AUTH-A5: a right sign-in answers the account and nothing secret', async () => {
  const { browser, client } = open();
  const user = await client.login(right);
  assert.equal(browser.last.status, 200);
  assert.match(browser.last.headers.get('content-type'), /^application\/json/);
  assert.equal(typeof user.id, 'string');
  assert.equal(user.error ?? user.message, undefined);
  assert.deepEqual(Object.keys(user).toSorted(), ['displayName', 'email', 'id', 'roles', 'username']);
});

test('AUTH-A6: the session cookie is for the whole site, out of reach of scripts, and ends', async () => {
  const { browser, client } = open();
  await client.login(right);
  assert.equal(browser.last.set.length, 1);
  const { attributes, value } = readCookie(browser.last.set[0]);
  assert.ok('httponly' in attributes);
  assert.equal(attributes.path, '/');
  assert.match(attributes.samesite, /^(strict|lax)$/i);
  assert.ok(Number(attributes['max-age']) > 0 && Date.parse(attributes.expires) > Date.now());
  // This is at least 128 bits, whatever the alphabet.
  assert.ok(value.length >= 22, 'too short to be unguessable');
});

test('AUTH-A7: the token is bare text, not the id of the account, and not the cookie', async () => {
  const { browser, client } = open();
  const user = await client.login(right);
  const token = await client.getToken();
  assert.match(token, /^[\w.~+/=-]{20,}$/);
  assert.notEqual(token, user.id);
  assert.ok(![...browser.cookies.values()].includes(token));
  assert.match(browser.last.headers.get('content-type'), /^text\/plain/);
  assert.equal(browser.last.headers.get('cache-control'), 'no-store');
});

test('AUTH-A8: parallel calls share one request, and the token is kept for five seconds', async (t) => {
  const { browser, client } = open();
  await client.login(right);
  const earlier = browser.exchanges.length;
  const tokens = await Promise.all([client.getToken(), client.getToken(), client.getToken()]);
  assert.equal(browser.exchanges.length, earlier + 1);
  assert.equal(new Set(tokens).size, 1);
  // Move the clock, by which the client refreshes tokens, instead of waiting.
  t.after(() => mock.timers.reset());
  mock.timers.enable({ apis: ['Date'], now: Date.now() });
  mock.timers.tick(4_000);
  await client.getToken();
  assert.equal(browser.exchanges.length, earlier + 1);
  mock.timers.tick(1_500);
  const later = await Promise.all([client.getToken(), client.getToken()]);
  assert.equal(browser.exchanges.length, earlier + 2);
  assert.ok(later[0]);
});

test('AUTH-A10: logout, sent as plain text, is understood and takes the cookie away', async () => {
  const { browser, client } = await signedIn();
  assert.equal(await client.logout(), true);
  assert.match(browser.last.sent.headers['content-type'], /^text\/plain/);
  assert.equal(browser.last.sent.body, '{"method":"logout"}');
  assert.equal(browser.last.status, 200);
  assert.equal(browser.cookies.size, 0);
  assert.equal(await client.getToken(), null);
  assert.equal(await client.logout(), true, 'signing out twice is fine');
  assert.equal(browser.last.status, 200);
});

test('AUTH-A14: unknown methods and wrong verbs are 404', async () => {
  const browser = new Browser(url);
  for (const method of ['nope', 'LOGIN', 'webAuthnRegister', '']) {
    await browser.post('/auth', { method });
    assert.equal(browser.last.status, 404, method);
    assert.equal(typeof JSON.parse(browser.last.text).error, 'string', 'or the client would reject');
  }
  for (const query of ['', '?method=login', '?method=nope', '?method=webAuthnRegOptions', '?method=gettoken']) {
    await browser.fetch(`/auth${query}`);
    assert.equal(browser.last.status, 404, query);
  }
  await browser.post('/auth', { method: 'getToken' });
  assert.equal(browser.last.status, 404);
  for (const method of ['PUT', 'DELETE', 'PATCH']) {
    await browser.fetch('/auth', { method });
    assert.equal(browser.last.status, 404, method);
  }
});

test('AUTH-A15: nobody is signed in: currentUser is null and no error', async () => {
  const browser = new Browser(url);
  await browser.post('/graphql', { query: CURRENT_USER });
  assert.equal(browser.last.status, 200);
  assert.deepEqual(JSON.parse(browser.last.text), { data: { redwood: { currentUser: null } } });
});

test('what is no sign-in at all is refused in JSON and never a server error', async () => {
  const bodies = ['', '{', '[]', 'null', '"login"', '{"method":7}', '{"method":"login"}'];
  const odd = [
    { method: 'login', username: 7, password: right.password },
    { method: 'login', username: right.username, password: { length: 20 } },
    { method: 'login', username: [right.username], password: right.password },
    { method: 'login', username: 'x'.repeat(10_000), password: 'x' },
    { method: 'login', username: 'nul\u0000', password: 'x\u0000' },
  ];
  for (const body of [...bodies, ...odd.map((it) => JSON.stringify(it))]) {
    const browser = new Browser(url);
    await browser.post('/auth', body);
    assert.ok(browser.last.status >= 400 && browser.last.status < 500, `${browser.last.status} for ${body.slice(0, 80)}`);
    assert.equal(typeof JSON.parse(browser.last.text).error, 'string');
    assert.equal(browser.cookies.size, 0);
  }
});

test('a body that is too large is refused in JSON', async () => {
  const { browser, client } = open();
  const answer = await client.login({ username: 'x'.repeat(100_000), password: 'x' });
  assert.equal(typeof answer.error, 'string');
  assert.equal(browser.last.status, 413);
});

test('a cookie that means nothing reads as signed out, is left alone, and does not hinder a sign-in', async () => {
  const { browser, client } = open();
  browser.cookies.set(SESSION, 'U2FsdGVkX1+garbage|garbage');
  assert.equal(await client.getToken(), null);
  // By the time this answer arrives, another tab may have signed in.
  assert.deepEqual([browser.last.status, browser.last.text, browser.last.set], [200, '', []]);
  const user = await client.login(right);
  assert.equal(user.username, admin.username);
  assert.ok(await client.getToken());
});
