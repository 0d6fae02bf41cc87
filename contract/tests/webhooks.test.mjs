// A receiver that verifies messages with the published library of Standard Webhooks accepts ours, even while
// the secret is being replaced, and no others.
import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { after, before, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { Browser } from '../support/browser.mjs';
import { ensureAdmin, graphql, signedIn, url } from '../support/clients.mjs';

const SAVE = 'mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id version secret } }';
const ROTATE = 'mutation M($id: String!, $version: Int!) { rotateOutboundSecret(id: $id, version: $version) { secret } }';
const TEST = 'mutation M($id: String!) { testOutboundEndpoint(id: $id) { status error } }';
const CREATE = 'mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';

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
  const input = { name: 'Library', url: address, methods: ['create'], sourceIds: [], isActive: true };
  endpoint = (await office.mutate(SAVE, { input })).saveOutboundEndpoint;
});

after(() => {
  server.closeAllConnections();
  server.close();
});

test('the library verifies what is sent, and refuses it once a letter is changed', async () => {
  const input = {
    id: 'HOOK-1', customername: 'Hook Store', shipmentnumber: 'HOOK-S',
    scheduledatetime: new Date(Date.now() + 3_600_000).toISOString(),
  };
  await office.mutate(CREATE, { input });
  const { headers, body } = await message('delivery.create');
  const library = new Webhook(endpoint.secret);
  assert.equal(library.verify(body, headers).data.deliveryId, 'HOOK-1');
  assert.throws(() => library.verify(body.replace('HOOK-1', 'HOOK-2'), headers));
  assert.throws(() => new Webhook('whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw').verify(body, headers));
});

test('during a rotation both secrets verify', async () => {
  const { id, version, secret: old } = endpoint;
  const { secret } = (await office.mutate(ROTATE, { id, version })).rotateOutboundSecret;
  const { status, error } = (await office.mutate(TEST, { id })).testOutboundEndpoint;
  assert.deepEqual({ status, error }, { status: 204, error: null });
  const { headers, body } = await message('test');
  for (const known of [old, secret]) assert.equal(new Webhook(known).verify(body, headers).type, 'test');
});
