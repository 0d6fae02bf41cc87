// deploy/compose.yaml from its first command to its last: secrets, servers, tables, services, some work, and
// the end. composition.mjs says which parts of it are real.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { test } from 'node:test';
import { crc32, deflateSync } from 'node:zlib';
import { objectRights, services, settings, shutdown, targets } from '../../scripts/deployments/table.mjs';
import { read } from '../../scripts/sources.mjs';
import { Composition } from './composition.mjs';
import { ANSWERS, handshake } from './handshake.mjs';
import { Office } from './office.mjs';
import { freePorts, status, until } from './program.mjs';
import { sign } from './s3.mjs';

/** Runs a program without blocking the replacements in this process. Returns its status and its output. */
const run = (file, args, env) => new Promise((resolve) => {
  execFile(file, args, { env, timeout: 30_000 }, (error, stdout, stderr) => resolve({ code: error ? error.code : 0, stdout, said: stdout + stderr }));
});

const PASSWORD = 'a long pass phrase';
const CSV = read('services/upload/fixtures/small-utf8-comma.csv');

/** Returns a picture of four by four pixels. */
function picture() {
  const chunk = (name, data) => {
    const body = Buffer.concat([Buffer.from(name, 'latin1'), data]);
    const [size, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    size.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([size, body, sum]);
  };
  const row = Buffer.concat([Buffer.from([0]), Buffer.alloc(12, 128)]);
  const points = deflateSync(Buffer.concat([row, row, row, row]));
  const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
  return Buffer.concat([signature, chunk('IHDR', Buffer.from([0, 0, 0, 4, 0, 0, 0, 4, 8, 2, 0, 0, 0])), chunk('IDAT', points), chunk('IEND', Buffer.alloc(0))]);
}

/** Uploads a file to a link, as a browser does. Returns its address without the signature. */
async function put(link, body) {
  const answer = await fetch(link, { method: 'PUT', body });
  assert.equal(answer.status, 200, await answer.text());
  return link.split('?')[0];
}

/** Creates the first account as the head of the file says: with the token from the log of auth. */
async function firstAccount(composition) {
  const log = () => composition.running.get('auth').said();
  await until(30, () => /setup token for \/auth\/create-admin is \S+/.test(log()), 'auth does not show the setup token');
  const [, setupToken] = log().match(/setup token for \/auth\/create-admin is ([\w-]+)/);
  const office = new Office(`http://localhost:${composition.port('gateway', 8080)}`);
  const input = { username: 'keeper', email: 'keeper@example.com', password: PASSWORD, setupToken };
  await office.graph('mutation($input: CreateAdminInput!) { createAdmin(input: $input) { __typename } }', { input });
  await office.signIn('keeper', PASSWORD);
  return office;
}

/** Does everything that uses the bucket: an import, a logo, a file of a delivery, and its form. */
async function morning(office) {
  const action = async (path, body = {}) => (await office.ask(path, { method: 'POST', body })).json();
  const file = await put((await action('/request-upload-link', { filename: 'small.csv' })).url, CSV);
  const { uploadLog } = await action(`/upload-deliveries?${new URLSearchParams({ url: file, filename: 'small.csv', sourceId: '' })}`);
  const state = async () => (await office.graph('query($id: String!) { uploadLog(id: $id) { status } }', { id: uploadLog })).uploadLog.status;
  await until(30, async () => (await state()).startsWith('imported'), 'the import does not end');

  const logo = await put((await action('/request-logo-upload-link', { filename: 'logo.png' })).url, picture());
  const { mutatePresignedUrl: { presignedUrl: url } } = await office.graph('mutation($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }', { url: logo });
  const value = JSON.stringify({ url, size: 130, gap: 8, vertical: 0, urlObject: logo });
  await office.graph('mutation($input: UpdateSettingValueInput!) { updateSettingValue(input: $input) { id } }', { input: { id: 'customer-logo-information', value } });
  const shown = await fetch(new URL(url, office.address));
  assert.deepEqual([shown.status, shown.headers.get('content-type')], [200, 'image/png'], 'the gateway shows the logo');

  const { deliveries: [{ id: deliveryId }] } = await office.graph('{ deliveries(page: {limit: 1}) { id } }');
  const asked = await office.graph('mutation($input: RequestAttachmentLinkInput!) { requestAttachmentLink(input: $input) { url } }', { input: { deliveryId, filename: 'door.png' } });
  const proof = await put(asked.requestAttachmentLink.url, picture());
  await office.graph('mutation($input: AddAttachmentInput!) { addAttachment(input: $input) { id } }', { input: { deliveryId, kind: 'photo', url: proof } });
  const link = await office.graph('mutation($url: String!) { mutatePresignedUrl(url: $url) { presignedUrl } }', { url: proof });
  assert.equal((await fetch(link.mutatePresignedUrl.presignedUrl)).status, 200, 'the file can be looked at');
  await office.formOfUndelivered(deliveryId);
}

/** Tests what each identity of the bucket may do with its own key, on an object of every kind. */
async function rights(composition) {
  const { s3 } = composition;
  const bucket = s3.buckets.get('waybill');
  const all = objectRights();
  const kinds = new Set([...all.values()].flatMap(({ writes, reads }) => [...writes, ...reads]));
  assert.deepEqual([...kinds].toSorted(), ['attachments/', 'imports/', 'logos/', 'proof/', 'readiness/']);
  for (const prefix of [...kinds, 'other/']) bucket.set(`${prefix}kept`, { body: Buffer.from('kept'), when: new Date() });
  const asking = (name) => {
    const keys = { access: composition.made(`${name}_s3_access_key`), secret: composition.made(`${name}_s3_secret_key`) };
    return async (method, path) => {
      const url = `http://localhost:${composition.port('s3', 8333)}/${path}`;
      return (await fetch(url, { method, headers: sign(url, keys, method), body: method === 'PUT' ? 'x' : undefined })).status;
    };
  };
  for (const [name, { writes, reads }] of all) {
    const status = asking(name);
    for (const prefix of [...kinds, 'other/']) {
      const may = { write: writes.includes(prefix), read: writes.includes(prefix) || reads.includes(prefix) };
      assert.equal(await status('GET', `waybill/${prefix}kept`), may.read ? 200 : 403, `${name} reads ${prefix}`);
      assert.equal(await status('PUT', `waybill/${prefix}made`), may.write ? 200 : 403, `${name} writes ${prefix}`);
      assert.equal(await status('DELETE', `waybill/${prefix}made`), may.write ? 204 : 403, `${name} deletes ${prefix}`);
    }
    assert.equal(await status('GET', 'waybill?list-type=2'), 403, `${name} lists`);
    assert.equal(await status('PUT', 'another'), 403, `${name} makes a bucket`);
  }
  const backup = asking('backup');
  assert.equal(await backup('GET', 'waybill?list-type=2'), 200, 'a backup lists');
  for (const prefix of [...kinds, 'other/']) {
    assert.equal(await backup('GET', `waybill/${prefix}kept`), 200, `a backup reads ${prefix}`);
    for (const method of ['PUT', 'DELETE']) assert.equal(await backup(method, `waybill/${prefix}kept`), 403, `a backup changes ${prefix}`);
  }
  assert.equal(await backup('PUT', 'another'), 403, 'a backup makes a bucket');
}

/** Runs statements as the administrator of Postgres, each on its own. */
async function psql(composition, statements) {
  const admin = {
    PATH: process.env.PATH, PGHOST: 'localhost', PGPORT: String(composition.port('postgres', 5432)), PGUSER: 'waybill', PGDATABASE: 'postgres',
    PGPASSWORD: composition.made('postgres_password'), PGSSLMODE: 'verify-full', PGSSLROOTCERT: join(composition.secrets, 'ca.pem'),
  };
  const done = await run('psql', ['--no-psqlrc', '--tuples-only', '--no-align', ...statements.flatMap((sql) => ['--command', sql])], admin);
  assert.equal(done.code, 0, done.said);
  return done;
}

/** Backs up with the service that docs/backup.md names. Returns the names of all objects in the backup. */
async function backUp(composition) {
  const said = await composition.run('backup', ['backup', '--to', '/backups/first']);
  assert.match(said, new RegExp(`${services().length} databases with [1-9]\\d* rows, [1-9]\\d* objects`));
  assert.match(await composition.run('backup', ['restore', '--check', '--from', '/backups/first']), /is whole/);
  return [...composition.s3.buckets.get('waybill').keys()].toSorted();
}

/** Restores to empty databases and an empty bucket, to which only then the backup may write. */
async function restore(composition, objects) {
  await psql(composition, services().flatMap(({ name }) => [`DROP DATABASE ${name}`, `CREATE DATABASE ${name} OWNER ${name}`]));
  composition.s3.buckets.set('waybill', new Map());
  composition.s3.identities = JSON.parse(composition.makeAgain('s3.json', { WAYBILL_RESTORE: 'yes' })).identities;
  assert.match(await composition.run('backup', ['restore', '--from', '/backups/first']), /^Restored from /);
  assert.deepEqual([...composition.s3.buckets.get('waybill').keys()].toSorted(), objects);
  assert.doesNotMatch(composition.makeAgain('s3.json'), /Write:waybill"/, 'the right ends with the next s3.json');
}

/** Returns the first line that a server sends. */
const greeting = (port) => new Promise((resolve, reject) => {
  const socket = connect(port, '127.0.0.1');
  socket.on('data', (piece) => { socket.destroy(); resolve(String(piece)); });
  socket.on('error', reject);
});

/** Services answer only each other: no server with a certificate of the same authority, and nobody without. */
async function mutual(composition) {
  const file = (name) => composition.made(name);
  const ca = file('ca.pem');
  for (const { name } of services()) {
    const port = composition.port(name, 8081);
    assert.match(await handshake(port, { ca, cert: file('gateway.crt'), key: file('gateway.key') }), ANSWERS, name);
    assert.match(await handshake(port, { ca }), /CERTIFICATE_REQUIRED/, name);
    assert.match(await handshake(port, { ca, cert: file('nats.crt'), key: file('nats.key') }), /ALERT|CERT/, name);
    assert.equal(await status(`http://localhost:${port}`), 0, `${name} answers without TLS`);
  }
}

/**
 * Postgres, NATS, Redis and the bucket can be reached with TLS only, and only by clients that know the right
 * authority.
 */
async function encrypted(composition) {
  const { stdout } = await psql(composition, ["SELECT datname || ' ' || ssl FROM pg_stat_ssl JOIN pg_stat_activity USING (pid) WHERE application_name LIKE 'waybill%'"]);
  assert.deepEqual([...new Set(stdout.trim().split('\n'))].toSorted(), services().map(({ name }) => `${name} true`).toSorted());
  assert.match(await greeting(composition.port('nats', 4222)), /"tls_required":true/);
  const cache = ['-h', 'localhost', '-p', String(composition.port('redis', 6379)), '--no-auth-warning', '-a', composition.made('redis_password')];
  const clients = await run('redis-cli', [...cache, '--tls', '--cacert', join(composition.secrets, 'ca.pem'), 'CLIENT', 'LIST'], process.env);
  assert.ok(clients.stdout.trim().split('\n').length > 1, `the gateway is not connected: ${clients.stdout}`);
  assert.ok((await run('redis-cli', [...cache, 'PING'], process.env)).code > 0, 'Redis takes somebody without TLS');
  const { log } = composition.s3;
  assert.ok(log.some((it) => it.secure) && log.every((it) => it.secure !== it.isLink), 'services come by TLS, links are for a browser of this machine');

  // This client has the same secrets, but trusts another authority.
  const stranger = join(composition.base, 'stranger');
  mkdirSync(stranger);
  const authority = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=Somebody'];
  await run('openssl', [...authority, '-keyout', join(stranger, 'key'), '-out', join(stranger, 'ca.pem')], process.env);
  for (const [what, refused] of [[{ PGSSLROOTCERT: join(stranger, 'ca.pem') }, /database cannot be reached.*UnknownIssuer/], [{ SSL_CERT_FILE: join(stranger, 'ca.pem') }, /^(?!.*database).*UnknownIssuer/m]]) {
    const { env } = composition.running.get('upload');
    const [grpc, ops] = await freePorts(2);
    const { code, said } = await run(process.env.WAYBILL_BIN, ['serve', '--target', 'upload'], { ...env, ...what, WAYBILL__GRPC__PORT: String(grpc), WAYBILL__OPS__PORT: String(ops) });
    assert.ok(code > 0, `it starts with ${JSON.stringify(what)}`);
    assert.match(said, refused);
  }
}

test('compose: a service is not killed before the time that a stop may take', () => {
  const [, grace] = read('deploy/compose.yaml').match(/^ +stop_grace_period: (\d+)s$/m);
  const { drain, finish } = shutdown();
  // As in Kubernetes, with ten seconds for closing databases and sending telemetry.
  assert.ok(Number(grace) >= Number(settings().get('ops.stop_delay_seconds')) + drain + finish + 10, `${grace} seconds`);
});

test('compose: from its secrets to a morning of work, by TLS, with no more rights than each needs, and down again', { timeout: 300_000 }, async (t) => {
  const composition = await Composition.prepare(t);
  const started = Object.entries(composition.file.services).filter(([name, { profiles }]) => name !== 'grafana' && !profiles);
  await Promise.all(started.map(([name]) => composition.up(name)));
  await composition.ready();
  const office = await firstAccount(composition);
  await morning(office);
  const denied = composition.s3.log.filter((it) => it.status === 403);
  assert.deepEqual(denied, [], 'a service asked for what it may not');
  assert.deepEqual([...new Set(composition.s3.log.map((it) => it.identity))].toSorted(), [...objectRights().keys()].toSorted());
  const objects = await backUp(composition);
  await encrypted(composition);
  await mutual(composition);
  await rights(composition);
  if (composition.running.has('prometheus')) {
    const asked = async (path) => (await (await fetch(`http://127.0.0.1:${composition.port('prometheus', 9090)}/api/v1/${path}`)).json()).data;
    await until(20, async () => (await asked('query?query=sum(waybill_ready)')).result[0]?.value[1] === String(targets().length), 'Prometheus does not see every target');
    assert.deepEqual((await asked('rules')).groups.flatMap((group) => group.rules).filter((rule) => rule.state === 'firing' || rule.health !== 'ok'), []);
  }
  const ends = await composition.down();
  assert.deepEqual(ends, Object.fromEntries(targets().map(({ name }) => [name, 0])));
  const silent = targets().filter(({ name }) => !composition.senders.has(`waybill-${name} MetricsService`) || !composition.senders.has(`waybill-${name} TraceService`));
  assert.deepEqual(silent.map(({ name }) => name), [], 'the collector never heard of them');
  await restore(composition, objects);
});
