// Signing up with the published client. It is off unless the configuration allows it.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startProduct } from '../product.mjs';
import { Browser } from '../support/browser.mjs';
import { admin, ensureAdmin, graphql, open, url } from '../support/clients.mjs';

const POLICY = 'query Policy { signUpPolicy }';
const ME = 'query Me { redwood { currentUser } }';
const ana = { username: 'ana', email: 'ana@example.ph', password: 'molave-77-habagat' };
let pending;

before(async () => {
  await ensureAdmin();
  pending = await startProduct({ env: { WAYBILL__AUTH__SIGN_UP: 'pending' } });
  const query = 'mutation First($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await new Browser(pending.url).post('/graphql', { query, variables: { input: admin } });
});
after(() => pending.stop());

function assertRefused(answer, browser) {
  assert.equal(typeof answer.error, 'string', JSON.stringify(answer));
  assert.equal(answer.message, undefined);
  assert.equal(browser.last.status, 400);
  assert.match(browser.last.headers.get('content-type'), /^application\/json/);
  assert.equal(browser.cookies.size, 0);
}

test('where it is off the client gets an error to show, and the policy says so', async () => {
  const { browser, client } = open();
  const answer = await client.signup(ana);
  assertRefused(answer, browser);
  assert.equal(answer.error, 'Signup flow is not enabled');
  assert.equal((await graphql(new Browser(url)).query(POLICY)).signUpPolicy, 'off');
});

test('where it is allowed the client gets a message to show, and signs nobody in', async () => {
  const { browser, client } = open(new Browser(pending.url));
  assert.equal((await graphql(browser).query(POLICY)).signUpPolicy, 'pending');
  const answer = await client.signup(ana);
  assert.equal(browser.last.status, 201);
  assert.equal(browser.last.sent.headers['content-type'], 'application/json');
  assert.deepEqual(Object.keys(answer), ['message']);
  assert.equal(typeof answer.message, 'string');
  assert.equal(browser.cookies.size, 0);
  assert.equal(await client.getToken(), null);

  // The response is the same for a name that is taken.
  const first = browser.exchanges.at(-2);
  for (const username of [ana.username, ana.username.toUpperCase(), admin.username]) {
    assert.deepEqual(await client.signup({ ...ana, username }), answer);
    assert.deepEqual([browser.last.status, browser.last.text], [201, first.text]);
  }
});

test('roles and whatever else is sent along change nothing', async () => {
  const { browser, client } = open(new Browser(pending.url));
  const eve = { ...ana, username: 'eve', roles: ['admin'], role: 'admin', id: '1', isAdmin: true };
  assert.equal((await client.signup(eve)).error, undefined);
  const user = await client.login({ username: 'eve', password: eve.password });
  assert.deepEqual(user.roles, []);
  const token = await client.getToken();
  const { redwood } = await graphql(browser, token).query(ME);
  assert.deepEqual(redwood.currentUser.roles, []);
  assert.notEqual(redwood.currentUser.id, '1');
});

test('what is wrong is an error to show, told by field, whoever has the name', async () => {
  const { browser, client } = open(new Browser(pending.url));
  const wrong = await client.signup({ username: 'fe', email: 'no address', password: 'short' });
  assertRefused(wrong, browser);
  assert.deepEqual(Object.keys(wrong.fields).toSorted(), ['email', 'password']);
  const taken = await client.signup({ username: ana.username, email: 'no address', password: 'short' });
  assert.deepEqual(taken, wrong);
  for (const odd of [{ ...ana, username: 7 }, { ...ana, password: ['x'] }, { ...ana, email: {} }, {}, { username: null }]) {
    assertRefused(await client.signup(odd), browser);
  }
});
