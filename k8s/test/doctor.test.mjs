// `waybill doctor` with real servers: it reports what is right, and names each wrong setting.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { services } from '../../scripts/deployments/table.mjs';
import { certificate } from './certificate.mjs';
import { accepts, DURABILITY, folder, freePorts, until } from './program.mjs';

const { WAYBILL_BIN: program, WAYBILL_TEST_POSTGRES_URL: postgres, WAYBILL_TEST_NATS_URL: nats } = process.env;
const psql = (...commands) =>
  execFileSync('psql', ['--quiet', '--no-psqlrc', '--tuples-only', '--no-align', '--dbname', postgres, ...commands.flatMap((it) => ['--command', it])], { encoding: 'utf8' }).trim();

/** Starts a Redis with these memory settings. Returns its address. */
async function redis(t, ...settings) {
  const [port] = await freePorts(1);
  const child = spawn('redis-server', ['--bind', '127.0.0.1', '--port', String(port), '--save', '', '--appendonly', 'no', '--dir', folder(t), ...settings], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await until(20, () => accepts(port), 'Redis did not start');
  return `redis://127.0.0.1:${port}`;
}

/** Starts a NATS server with this configuration. */
async function natsWith(t, configuration) {
  const [port] = await freePorts(1);
  const file = join(folder(t), 'nats.conf');
  writeFileSync(file, configuration);
  const child = spawn(process.env.WAYBILL_TEST_NATS_SERVER ?? 'nats-server', ['-a', '127.0.0.1', '-p', String(port), '-c', file], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await until(20, () => accepts(port), 'NATS did not start');
  return `nats://127.0.0.1:${port}`;
}

/** Creates a database with tables for each service. Returns their address and their names. */
function databases(t, env) {
  const prefix = `doctor_${randomBytes(4).toString('hex')}_`;
  const names = services().map(({ name }) => prefix + name);
  psql(...names.map((name) => `CREATE DATABASE ${name}`));
  t.after(() => psql(...names.map((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  const address = new URL(postgres);
  address.pathname = `/${prefix}`;
  const url = `${address}{service}`;
  execFileSync(program, ['migrate'], { env: { ...env, WAYBILL__DATABASE__URL: url }, stdio: ['ignore', 'ignore', 'inherit'] });
  return { url, names };
}

function asked(env, ...options) {
  const { status, stdout, stderr } = spawnSync(program, ['doctor', ...options], { env, encoding: 'utf8' });
  assert.equal(stderr, '');
  return { status, said: stdout };
}

test('doctor: names what is wrong with Postgres, NATS and Redis, and nothing else', async (t) => {
  const base = { PATH: process.env.PATH, ...DURABILITY, WAYBILL__DATA: join(folder(t), 'data') };
  const { url, names } = databases(t, base);
  const right = { ...base, WAYBILL__DATABASE__URL: url, WAYBILL__BUS__URL: nats, WAYBILL__CACHE__URL: await redis(t) };
  const has = (said, ...lines) => {
    for (const line of lines) assert.match(said, line);
  };

  await t.test('settings of the server and of a database', () => {
    const setting = (name) => psql(`SHOW ${name}`);
    const durable = setting('fsync') === 'on' && setting('full_page_writes') === 'on';
    psql(...names.map((name) => `ALTER DATABASE ${name} SET synchronous_commit = on`));
    const { status, said } = asked(right);
    has(said, /database of deliveries: encoding UTF8/, /database of deliveries: max_connections \d+/, /database of deliveries: connection: (TLS|on this machine)/, /NATS [\d.]+: messages of up to 1024 KiB/, /NATS [\d.]+: (a power cut can lose|supports sync_interval: always)/);
    assert.doesNotMatch(said, /without TLS. (Add|Use)|was tried/);
    has(said, /database of deliveries: Postgres \d+/, /database of deliveries: synchronous_commit on/, /database of deliveries: clock within/, /NATS \d+\./, /Redis \d+\.[\d.]+, noeviction/);
    if (!durable) has(said, /database of auth: fsync is off: a crash/, /database of auth: full_page_writes is off/);
    assert.equal(status, durable ? 0 : 1, said);
    psql(`ALTER DATABASE ${names[0]} SET synchronous_commit = off`);
    const worse = asked(right);
    assert.equal(worse.status, 1);
    assert.equal(worse.said.match(/synchronous_commit is off: what was answered as saved can be lost/g).length, 1, worse.said);
  });

  await t.test('a server that can lose what it confirmed: nothing starts on it unless that is wanted', () => {
    psql(`ALTER DATABASE ${names[0]} SET synchronous_commit = off`);
    const migrate = (wanted) => {
      const env = { ...right, WAYBILL__TELEMETRY__LOG: 'error', WAYBILL__DATABASE__REQUIRE_DURABLE: String(wanted) };
      const { status, stderr } = spawnSync(program, ['migrate'], { env, encoding: 'utf8' });
      return { status, stderr };
    };
    const refused = migrate(true);
    assert.equal(refused.status, 1);
    has(refused.stderr, /Postgres can lose data of \w+\. .*synchronous_commit is off: .*set database\.require_durable to false/);
    assert.deepEqual(migrate(false), { status: 0, stderr: '' });
  });

  await t.test('encryption of calls between services', () => {
    has(asked(right).said, /calls between services: 127\.0\.0\.1:8081, not encrypted/);
    const open = { ...right, WAYBILL__GRPC__HOST: '0.0.0.0' };
    has(asked(open).said, /calls between services: 0\.0\.0\.0:8081 is open to the network without TLS\. Set grpc\.certificate_file/);
    const files = certificate(folder(t), 100);
    has(asked({ ...open, ...files }).said, /calls between services: encrypted, this certificate until \d{4}-/);
    has(asked({ ...open, ...files, WAYBILL__GRPC__ALLOW_PLAINTEXT: 'true' }).said, /calls without TLS are accepted as well/);
    has(asked({ ...open, ...certificate(folder(t), 5) }).said, /this certificate expires on \d{4}-.*Renew/);
    const away = asked({ ...open, ...files, WAYBILL__GRPC__KEY_FILE: '/nowhere' });
    has(away.said, /calls cannot be encrypted: cannot read \/nowhere/);
    assert.equal(away.status, 1);
  });

  await t.test('the configuration of one service, and of the gateway', () => {
    const alone = {
      ...right, WAYBILL__DATABASE__URL: url.replace('{service}', 'drivers'), WAYBILL__PEERS__URL: 'http://127.0.0.1:1', WAYBILL__AUTH__SERVICE_SECRET: 'x'.repeat(64),
    };
    has(asked(alone).said, /database of auth: .*(migrat|later release)/i, /databases: database\.url has no \{service\}.*with --target/);
    const { said } = asked(alone, '--target', 'drivers');
    has(said, /database of drivers: Postgres \d+/, /NATS \d/);
    assert.doesNotMatch(said, /database of (?!drivers)|databases:|Redis|objects:|http:|WRONG(?!.*(fsync|full_page_writes) is off)/);
    const bucket = { WAYBILL__BLOB__KIND: 's3', WAYBILL__BLOB__ENDPOINT: 'http://127.0.0.1:1', WAYBILL__BLOB__ACCESS_KEY: 'x', WAYBILL__BLOB__SECRET_KEY: 'x' };
    const gateway = asked({ ...alone, ...bucket }, '--target', 'gateway').said;
    has(gateway, /Redis \d/, /NATS \d/, /objects: /, /http: /);
    assert.doesNotMatch(gateway, /database of/);
  });

  await t.test('a server that takes too few connections', () => {
    const many = asked({ ...right, WAYBILL__DATABASE__MAX_CONNECTIONS: '1000' });
    has(many.said, /max_connections is \d+\. One process of each service opens 6006, more replicas/);
  });

  await t.test('a database without its tables, and one that is away', () => {
    const [, port] = /:(\d+)\//.exec(url);
    has(asked({ ...right, WAYBILL__DATABASE__URL: url.replace('{service}', 'nobody_{service}') }).said, /database of auth: .*cannot be reached/);
    has(asked({ ...right, WAYBILL__DATABASE__URL: url.replace(port, '1') }).said, /database of auth: .*cannot be reached/);
    const { status, said } = asked({ ...right, WAYBILL__DATABASE__URL: postgres });
    has(said, /database of auth: .*migrat/i);
    assert.equal(status, 1);
  });

  await t.test('a Redis that refuses once it is full, one that makes room, and none', async () => {
    const full = asked({ ...right, WAYBILL__CACHE__URL: await redis(t, '--maxmemory', '64mb') });
    has(full.said, /maxmemory-policy is noeviction\. It is a cache/);
    const roomy = asked({ ...right, WAYBILL__CACHE__URL: await redis(t, '--maxmemory', '64mb', '--maxmemory-policy', 'allkeys-lru') });
    has(roomy.said, /Redis \d+\.[\d.]+, allkeys-lru/);
    has(asked({ ...right, WAYBILL__CACHE__URL: 'redis://127.0.0.1:1' }).said, /Redis: .*Waybill works without/);
  });

  await t.test('a NATS without streams, one that is too small and alone, and none', async () => {
    const account = `accounts { W { jetstream: { max_file: 50MB }, users: [{ user: w, password: w }] } }`;
    const small = await natsWith(t, `max_payload: 1000\njetstream { store_dir: "${folder(t)}" }\n${account}`);
    // Use an address that is not known to belong to this machine.
    const wrong = asked({ ...right, WAYBILL__BUS__REPLICAS: '3', WAYBILL__BUS__URL: small.replace('127.0.0.1', 'w:w@0.0.0.0') });
    has(wrong.said, /max_payload is 1000 bytes, so larger events are never/, /bus\.replicas is 3, and this server is in no cluster/);
    has(wrong.said, /NATS [\d.]+: 0 of 50 MiB of streams used/, /NATS: on another machine, without TLS\. Use an address with tls:/);
    assert.equal(wrong.status, 1);
    const plain = asked({ ...right, WAYBILL__BUS__URL: await natsWith(t, '') });
    has(plain.said, /NATS [\d.]+: JetStream is off/);
    assert.equal(plain.status, 1);
    const away = asked({ ...right, WAYBILL__BUS__URL: 'nats://127.0.0.1:1' });
    has(away.said, /NATS: /);
    assert.equal(away.status, 1);
  });

  await t.test('a database that lacks letters', () => {
    const settings = names.find((name) => name.endsWith('settings'));
    psql(`DROP DATABASE ${settings}`, `CREATE DATABASE ${settings} ENCODING 'SQL_ASCII' LOCALE_PROVIDER libc LOCALE 'C' TEMPLATE template0`);
    execFileSync(program, ['migrate'], { env: right, stdio: ['ignore', 'ignore', 'inherit'] });
    const { status, said } = asked(right);
    has(said, /database of settings: its encoding is SQL_ASCII, which lacks letters/);
    assert.equal(status, 1);
  });
});
