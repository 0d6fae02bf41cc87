// The driver API does what its document says, whatever is sent: it accepts what the document allows, refuses
// what the document forbids, and returns only responses that the document lists. WAYBILL_FUZZ sets how many
// bodies each call gets.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import Ajv from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import fc from 'fast-check';
import { Browser } from '../support/browser.mjs';
import { ensureAdmin, graphql, signedIn, url } from '../support/clients.mjs';
import { broken, generator } from '../support/generate.mjs';

const PIN = '482913';
const DELIVERIES = ['FUZZ-1', 'FUZZ-2'];
const runs = Number(process.env.WAYBILL_FUZZ ?? 30);
// A failure prints its seed. The default seed is fixed, so that a change never fails because of a new seed.
const options = { numRuns: runs, seed: Number(process.env.WAYBILL_FUZZ_SEED ?? 1), endOnFailure: runs > 1000 };

const document = await (await fetch(`${url}/driver/v1/openapi.json`)).json();
const ajv = addFormats(new Ajv({ strict: false, discriminator: false }));
ajv.addSchema({ $id: 'document', ...document });
const values = generator(document, { deliveryId: DELIVERIES, itemNumber: ['1'] });
const operations = Object.entries(document.paths).flatMap(([path, verbs]) =>
  Object.entries(verbs).map(([method, operation]) => ({ path, method: method.toUpperCase(), ...operation })),
);

let bearer;

before(async () => {
  await ensureAdmin();
  const { token } = await signedIn();
  const office = graphql(new Browser(url), token);
  const driver = { driverId: 'FUZZ', name: 'Fuzz', username: 'fuzz-driver' };
  await office.mutate('mutation M($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', { input: driver });
  for (const id of DELIVERIES) {
    const input = {
      id, driverId: 'FUZZ', customername: 'Fuzz Store', shipmentnumber: 'FUZZ-S',
      scheduledatetime: new Date(Date.now() + 3_600_000).toISOString(),
      items: [{ itemNumber: '1', sku: 'SKU-1', quantity: 5 }],
    };
    await createFor(office, input);
  }
  const account = await accountOf(office, driver.username);
  const link = 'mutation M($input: CreateResetLinkInput!) { createResetLink(input: $input) { path } }';
  const { createResetLink } = await office.mutate(link, { input: { userId: account } });
  const resetToken = new URL(createResetLink.path, url).searchParams.get('resetToken');
  const phone = new Browser(url);
  await phone.post('/auth', { method: 'resetPassword', resetToken, password: PIN });
  const signedInDriver = await phone.post('/driver/v1/login', { username: driver.username, pin: PIN });
  bearer = (await signedInDriver.json()).accessToken;
  assert.ok(bearer, phone.last.text);
});

/**
 * Creates a delivery for a driver. An event tells the deliveries service about the driver, which takes a
 * moment.
 */
async function createFor(office, input) {
  const mutation = 'mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';
  for (let tries = 1; ; tries += 1) {
    try {
      await office.mutate(mutation, { input });
      return;
    } catch (error) {
      if (tries === 200 || !error.message.startsWith(`There is no driver ${input.driverId}`)) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Returns the driver's account. An event creates it, which takes a moment. */
async function accountOf(office, username) {
  const query = 'query { driverAccounts { id username } }';
  for (let tries = 0; tries < 200; tries += 1) {
    const { driverAccounts } = await office.query(query);
    const found = driverAccounts.find((account) => account.username === username);
    if (found) return found.id;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error(`${username} got no account`);
}

/** Sends a body, and checks the response against the document. */
async function send({ path, method, responses, security }, body, query = '') {
  const address = path.replace('{id}', DELIVERIES[0]) + query;
  const headers = { 'content-type': 'application/json', ...(security && { authorization: `Bearer ${bearer}` }) };
  const answer = await fetch(`${url}${address}`, { method, headers, ...(body !== undefined && { body: JSON.stringify(body) }) });
  const text = await answer.text();
  assert.ok(answer.status < 500, `${method} ${address} ${JSON.stringify(body)}: ${answer.status} ${text}`);
  const listed = responses[answer.status];
  assert.ok(listed, `${method} ${address}: ${answer.status} is not in the document`);
  const schema = listed.content?.['application/json']?.schema;
  const json = text === '' ? undefined : JSON.parse(text);
  if (schema) conforms(schema, json, `${method} ${address}: ${answer.status}`);
  return { status: answer.status, json };
}

const checks = new Map();

function conforms(schema, json, what) {
  const key = JSON.stringify(schema);
  if (!checks.has(key)) checks.set(key, ajv.compile(JSON.parse(key.replaceAll('"#/', '"document#/'))));
  const check = checks.get(key);
  assert.ok(check(json), `${what}: ${ajv.errorsText(check.errors)} in ${JSON.stringify(json)}`);
}

/** Whether a response says that the body does not match the document, and not that its content is wrong. */
function isUnread({ status, json }) {
  const unread = (error) => /as documented/.test(error?.message ?? '');
  return (status === 400 && unread(json.error)) || (status === 200 && (json?.results ?? []).some(({ error }) => unread(error)));
}

function isRefused({ status, json }) {
  return status === 400 || status === 429 || (status === 200 && (json?.results ?? []).some(({ ok }) => !ok));
}

for (const operation of operations.filter(({ requestBody }) => requestBody)) {
  const { schema } = operation.requestBody.content['application/json'];

  test(`${operation.operationId}: what the document allows is understood`, async () => {
    const property = fc.asyncProperty(values(schema), async (body) => {
      const answer = await send(operation, body);
      assert.ok(!isUnread(answer), `${JSON.stringify(body)} was not understood: ${JSON.stringify(answer.json)}`);
    });
    await fc.assert(property, options);
  });

  test(`${operation.operationId}: what the document forbids is refused`, async () => {
    const allowed = ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
    const property = fc.asyncProperty(values(schema), fc.nat(), async (body, choice) => {
      const wrong = broken(body, choice);
      fc.pre(!allowed(wrong));
      const answer = await send(operation, wrong);
      assert.ok(isRefused(answer), `${JSON.stringify(wrong)} was accepted: ${JSON.stringify(answer.json)}`);
    });
    await fc.assert(property, options);
  });
}

test('what is no object of JSON is refused', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...operations.filter(({ requestBody }) => requestBody)),
    fc.jsonValue().filter((value) => value === null || typeof value !== 'object' || Array.isArray(value)),
    async (operation, body) => assert.ok(isRefused(await send(operation, body))),
  );
  await fc.assert(property, options);
});

test('what is only read answers as documented, whatever day is asked for', async () => {
  const property = fc.asyncProperty(
    fc.constantFrom(...operations.filter(({ method }) => method === 'GET')),
    fc.oneof(fc.constant(''), fc.string({ unit: 'binary' }).map((date) => `?date=${encodeURIComponent(date)}`)),
    async (operation, query) => void (await send(operation, undefined, query)),
  );
  await fc.assert(property, options);
});
