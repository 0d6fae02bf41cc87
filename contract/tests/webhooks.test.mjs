// A receiver that verifies messages with the published library of Standard Webhooks accepts ours, even while
// the secret is being replaced, and no others.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Browser } from '../support/browser.mjs';
import { admin, ensureAdmin, graphql, signedIn, url } from '../support/clients.mjs';

const SAVE = 'mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id version secret } }';
const ROTATE = 'mutation M($id: String!, $version: Int!) { rotateOutboundSecret(id: $id, version: $version) { secret } }';
const TEST = 'mutation M($id: String!) { testOutboundEndpoint(id: $id) { status error } }';
const CREATE = 'mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';

const OUTCOME = 'mutation M($input: RecordOutcomeInput!) { recordOutcome(input: $input) { id } }';

const received = [];
const waiting = [];
const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
    waiting.splice(0).forEach((wake) => wake());
    response.writeHead(204).end();
  });
});

/** Returns the first message of this type, once there is one. */
async function message(type) {
  for (;;) {
    const found = received.find(({ body }) => JSON.parse(body).type === type);
    if (found) return found;
    await new Promise((wake) => waiting.push(wake));
  }
}

let office;
let endpoint;

before(async () => {
  await new Promise((listening) => server.listen(0, '127.0.0.1', listening));
  await ensureAdmin();
  const { token } = await signedIn();
  office = graphql(new Browser(url), token);
  const address = `http://127.0.0.1:${server.address().port}/hook`;
  const input = { name: 'Library', url: address, methods: ['create', 'status', 'variance'], sourceIds: [], isActive: true };
  endpoint = (await office.mutate(SAVE, { input })).saveOutboundEndpoint;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test('the library verifies what is sent, and refuses it once a letter is changed', async () => {
  const input = {
    id: 'HOOK-1', customername: 'Hook Store', shipmentnumber: 'HOOK-S',
    items: [{ itemNumber: '1', sku: 'SKU-1', quantity: 5 }],
    scheduledatetime: new Date(Date.now() + 3_600_000).toISOString(),
  };
  await office.mutate(CREATE, { input });
  const { headers, body } = await message('delivery.create');
  const library = new Webhook(endpoint.secret);
  assert.equal(library.verify(body, headers).data.deliveryId, 'HOOK-1');
  assert.throws(() => library.verify(body.replace('HOOK-1', 'HOOK-2'), headers));
  assert.throws(() => new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(body, headers));
});

test('after two rotations every secret of the day verifies, and a test names its endpoint', async () => {
  const { id, version, secret: old } = endpoint;
  const rotate = async (version) => (await office.mutate(ROTATE, { id, version })).rotateOutboundSecret.secret;
  const secrets = [old, await rotate(version), await rotate(version + 1)];
  const { status, error } = (await office.mutate(TEST, { id })).testOutboundEndpoint;
  assert.deepEqual({ status, error }, { status: 204, error: null });
  const { headers, body } = await message('test');
  for (const known of secrets) assert.equal(new Webhook(known).verify(body, headers).type, 'test');
  assert.deepEqual(JSON.parse(body).data, { endpoint: 'Library', sentBy: admin.username });
});

test('messages about one change share its sequence, and the next change has a higher one', async () => {
  const line = { itemNumber: '1', quantityDelivered: 3, quantityRejected: 0, condition: 'ok', varianceReason: 'short_delivered' };
  const input = {
    deliveryId: 'HOOK-1', clientEventId: randomUUID(), status: 'Complete_With_Variance', lines: [line],
    receivedBy: 'Nena', receivedByRelation: 'recipient',
  };
  await office.mutate(OUTCOME, { input });
  const data = async (type) => JSON.parse((await message(type)).body).data;
  const [created, status, variance] = [
    await data('delivery.create'), await data('delivery.status'), await data('delivery.variance'),
  ];
  assert.ok(status.sequence > created.sequence);
  assert.equal(variance.sequence, status.sequence);
  assert.equal(status.varianceCount, 1);
});
