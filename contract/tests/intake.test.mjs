// Another system reports its dead letters and reads our events: by HTTP with the Python example, and on NATS
// with the published client and the JavaScript example. Everything is sent as a stranger would send it,
// following docs/intake.md.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startProduct } from '../product.mjs';
import { Browser } from '../support/browser.mjs';
import { admin, graphql, open } from '../support/clients.mjs';

const examples = new URL('../../docs/examples/', import.meta.url);
const proto = fileURLToPath(new URL('../../proto', import.meta.url));
const SAVE = 'mutation M($input: SaveOutboundEndpointInput!) { saveOutboundEndpoint(input: $input) { id } }';
const PRODUCER =
  'mutation M($input: SaveDeadLetterProducerInput!) { saveDeadLetterProducer(input: $input) { token subject } }';
const LETTERS =
  '{ deliveryDeadLetters(mode: failed, page: { limit: 100 }) { id deliveryId method producerName errorText } }';
const CREATE = 'mutation M($input: CreateDeliveryInput!) { createDelivery(input: $input) { id } }';

const letter = (n) => ({ deliveryId: `IN-${n}`, method: 'status', error: '503 from ERP', payload: { order: `SO-${n}` } });

let nats;
let store;
let servers;
let product;
let office;
let producer;
let connection;
let example;

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

/** Ends the broker and waits until it is gone, because it writes into its store until then. */
async function stopNats(signal) {
  if (!nats || nats.exitCode !== null || nats.signalCode !== null) return;
  const gone = once(nats, 'exit');
  nats.kill(signal);
  await gone;
}

async function startNats(port) {
  const program = process.env.WAYBILL_TEST_NATS_SERVER ?? 'nats-server';
  nats = spawn(program, ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', store], { stdio: 'ignore' });
  servers = `nats://127.0.0.1:${port}`;
  for (;;) {
    try {
      const probe = await example.connectProducer(servers, 'probe');
      await probe.close();
      return;
    } catch {
      await delay(100);
    }
  }
}

/** Returns the letters that are shown, once there are `count` of them. */
async function letters(count) {
  for (;;) {
    const { deliveryDeadLetters } = await office.query(LETTERS);
    assert.ok(deliveryDeadLetters.length <= count, `more than ${count}: ${JSON.stringify(deliveryDeadLetters)}`);
    if (deliveryDeadLetters.length === count) return deliveryDeadLetters;
    await delay(100);
  }
}

before(async () => {
  // The example finds its packages only in a folder of these tests.
  const copy = new URL('../results/events-example.mjs', import.meta.url);
  await mkdir(new URL('.', copy), { recursive: true });
  await copyFile(new URL('events.mjs', examples), copy);
  example = await import(copy);
  store = await mkdtemp(join(tmpdir(), 'waybill-nats-'));
  await startNats(await freePort());
  product = await startProduct({
    env: { WAYBILL__DELIVERIES__PRIVATE_ENDPOINTS: 'true', WAYBILL__BUS__URL: servers },
  });
  const browser = new Browser(product.url);
  const query = 'mutation First($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await browser.post('/graphql', { query, variables: { input: admin } });
  const { client } = open(browser);
  await client.login({ username: admin.username, password: admin.password });
  office = graphql(browser, await client.getToken());
  const input = { name: 'ERP', url: 'http://127.0.0.1:9/', methods: ['cancel'], sourceIds: [], isActive: true };
  const { saveOutboundEndpoint } = await office.mutate(SAVE, { input });
  const erp = { name: 'erp', endpointId: saveOutboundEndpoint.id, isActive: true };
  producer = (await office.mutate(PRODUCER, { input: erp })).saveDeadLetterProducer;
  connection = await example.connectProducer(servers, 'erp');
});

after(async () => {
  await connection?.close();
  await product?.stop();
  await stopNats('SIGTERM');
  await rm(store, { recursive: true, force: true });
});

/** Runs the Python example. Returns its exit code and its output. */
async function report(token, key, text, { url = product.url } = {}) {
  const env = { ...process.env, WAYBILL_URL: url, WAYBILL_TOKEN: token, WAYBILL_LONGEST_PAUSE: '0.05' };
  const child = spawn('python3', [fileURLToPath(new URL('report.py', examples)), key], { env });
  let out = '';
  child.stdout.on('data', (chunk) => (out += chunk));
  child.stderr.on('data', (chunk) => (out += chunk));
  child.stdin.end(text);
  const [code] = await once(child, 'close');
  return { code, out: out.trim() };
}

test('a report by HTTP is one dead letter however often it comes, and a malformed one is kept', async () => {
  const first = await report(producer.token, 'k-1', JSON.stringify(letter(1)));
  assert.equal(first.code, 0, first.out);
  assert.deepEqual(await report(producer.token, 'k-1', JSON.stringify(letter(1))), first);
  const malformed = await report(producer.token, 'k-2', '{"deliveryId": 7}');
  assert.equal(malformed.code, 1);
  assert.match(malformed.out, /^422: /);
  assert.match((await report('wbp_wrong', 'k-3', JSON.stringify(letter(3)))).out, /^401: /);
  const shown = await letters(2);
  const good = shown.find(({ method }) => method === 'status');
  assert.deepEqual([good.id, good.deliveryId, good.producerName], [first.out, 'IN-1', 'erp']);
});

/** Starts a stand-in that gives these answers in turn, and the last one from then on; without any, it hangs up. */
async function answering(...statuses) {
  let asked = 0;
  const server = createHttpServer((request, response) => {
    const status = statuses[Math.min(asked++, statuses.length - 1)];
    request.resume().on('end', () => {
      if (!status) return request.socket.destroy();
      return response.writeHead(status).end(JSON.stringify({ id: 'letter-1', repeated: false }));
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, asked: () => asked, stop: () => server.close() };
}

test('the example repeats what is refused only for now, and tells it from what is refused for good', async () => {
  const text = JSON.stringify(letter(9));
  for (const [statuses, code, out, asked] of [
    [[507, 500, 201], 0, /letter-1$/, 3],
    [[503], 75, /report it again later with the same key$/, 8],
    [[], 75, /report it again later with the same key$/, 8],
    [[422], 1, /^422: /, 1],
  ]) {
    const stub = await answering(...statuses);
    try {
      const ended = await report('wbp_any', 'k-9', text, stub);
      assert.equal(ended.code, code, ended.out);
      assert.match(ended.out, out);
      assert.equal(stub.asked(), asked);
    } finally {
      stub.stop();
    }
  }
});

test('what a published client of NATS publishes is kept, in whatever form, and known again', async () => {
  const publish = (key, message) => example.publishLetter(connection, producer.subject, key, message);
  await publish('k-1', letter(1));
  await publish('k-4', letter(4));
  await publish('k-5', 'no letter');
  await publish('k-6', letter(6));
  // Another letter under a known key is kept as malformed.
  await publish('k-6', letter(8));
  const shown = await letters(6);
  const ids = shown.filter(({ method }) => method === 'status').map(({ deliveryId }) => deliveryId);
  assert.deepEqual(ids.sort(), ['IN-1', 'IN-4', 'IN-6']);
});

test('a subscriber in another language reads our events by their published contract', async () => {
  const input = {
    id: 'EV-1', customername: 'Event Store', shipmentnumber: 'EV-S',
    scheduledatetime: new Date(Date.now() + 3_600_000).toISOString(),
  };
  await office.mutate(CREATE, { input });
  let fail = true;
  const seen = [];
  let found;
  const arrived = new Promise((resolve) => (found = resolve));
  const reader = await example.readEvents(connection, {
    proto,
    stream: 'WAYBILL_DELIVERIES',
    subject: 'waybill.deliveries.delivery.changed.v1',
    name: 'stranger',
    handle(envelope) {
      seen.push(envelope.id);
      if (fail) {
        fail = false;
        throw new Error('the stranger is busy');
      }
      found(envelope);
    },
  });
  const envelope = await arrived;
  await reader.stop();
  await reader.done;
  assert.equal(envelope.deliveryChanged.delivery.id, 'EV-1');
  assert.equal(envelope.deliveryChanged.delivery.deliverystatus, 'Pending');
  assert.equal(envelope.sequence, 1);
  assert.equal(seen[0], envelope.id, 'the one that failed came again');
});

test('a broker that lost its store is set up again, and the same keys stay the same letters', async () => {
  await connection.close();
  await stopNats('SIGKILL');
  await rm(store, { recursive: true, force: true });
  await startNats(new URL(servers).port);
  connection = await example.connectProducer(servers, 'erp');
  for (const n of [4, 7]) {
    for (;;) {
      try {
        await example.publishLetter(connection, producer.subject, `k-${n}`, letter(n));
        break;
      } catch {
        // The reader finds the stream at its next attempt.
        await delay(200);
      }
    }
  }
  const shown = await letters(7);
  assert.ok(shown.some(({ deliveryId }) => deliveryId === 'IN-7'));
});
