// The pages and the API are on two hosts. Only configured origins may send requests with credentials.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startProduct } from '../product.mjs';
import { Browser, readCookie } from '../support/browser.mjs';
import { admin, url as plain } from '../support/clients.mjs';

const OURS = 'https://app.example.ph';
const EVIL = 'https://app.example.ph.evil.example';
/** The headers that the application sends with its requests, and apps with compressed ones of the driver API. */
const SENT = ['content-encoding', 'authorization', 'auth-provider', 'content-type', 'x-request-id', 'traceparent', 'x-query-lab', 'idempotency-key'];
let product;

before(async () => {
  product = await startProduct({
    env: {
      WAYBILL__HTTP__ALLOWED_ORIGINS: JSON.stringify([OURS]),
      WAYBILL__HTTP__PUBLIC_URL: 'https://waybill.example.com',
      WAYBILL__AUTH__SETUP_TOKEN: 'no',
    },
  });
});
after(() => product.stop());

const ask = (base, origin, path, method = 'POST') =>
  new Browser(base).fetch(path, {
    method: 'OPTIONS',
    headers: {
      origin,
      'access-control-request-method': method,
      'access-control-request-headers': SENT.join(','),
    },
  });

test('an allowed origin is named, never a star, with credentials and the headers the clients send', async () => {
  for (const path of ['/auth', '/graphql', '/request-upload-link', '/upload-deliveries', '/cubejs-api/v1/load', '/driver/v1/events']) {
    const { headers, status } = await ask(product.url, OURS, path);
    assert.ok(status === 200 || status === 204, `${status}`);
    assert.equal(headers.get('access-control-allow-origin'), OURS);
    assert.equal(headers.get('access-control-allow-credentials'), 'true');
    assert.match(headers.get('vary'), /origin/i);
    const allowed = headers.get('access-control-allow-headers').toLowerCase();
    for (const name of SENT) assert.ok(allowed.includes(name), name);
    for (const method of ['GET', 'POST', 'PUT']) assert.ok(headers.get('access-control-allow-methods').includes(method));
  }
});

test('no other origin is named, neither with nor without a list', async () => {
  for (const [base, origin] of [[product.url, EVIL], [product.url, 'null'], [plain, OURS], [plain, EVIL]]) {
    const asked = await ask(base, origin, '/auth');
    assert.equal(asked.headers.get('access-control-allow-origin'), null);
    const browser = new Browser(base);
    await browser.post('/graphql', { query: '{ redwood { version } }' }, { origin });
    assert.equal(browser.last.headers.get('access-control-allow-origin'), null);
  }
});

test('an allowed origin may sign in; another may not', async () => {
  const query = 'mutation M($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await new Browser(product.url).post('/graphql', { query, variables: { input: admin } });
  const login = { method: 'login', username: admin.username, password: admin.password };
  // What a browser says of a page on another site.
  const from = (origin) => ({ origin, 'sec-fetch-site': 'cross-site' });
  const ours = new Browser(product.url);
  await ours.post('/auth', login, from(OURS));
  assert.equal(ours.last.status, 200);
  assert.equal(ours.last.headers.get('access-control-allow-origin'), OURS);
  assert.equal(ours.cookies.size, 1);
  const { attributes } = readCookie(ours.last.set[0]);
  assert.equal(attributes.samesite, 'None', 'browsers send it from another site');
  assert.ok('secure' in attributes);
  await ours.fetch('/auth?method=getToken', { headers: from(OURS) });
  assert.equal(ours.last.text.split('.').length, 3);
  await ours.fetch('/auth?method=getToken', { headers: from(EVIL) });
  assert.equal(ours.last.text, '');
  const evil = new Browser(product.url);
  await evil.post('/auth', login, from(EVIL));
  assert.deepEqual([evil.last.status, evil.cookies.size], [403, 0]);
});
