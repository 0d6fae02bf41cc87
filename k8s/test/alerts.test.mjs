// Each alert of deploy/prometheus fires when its problem occurs in the program, and none fires otherwise. The
// test runs the program, causes the problem, and reads /metrics; promql.mjs replaces Prometheus. Time is
// scaled: one second of the test is a hundred seconds of the alerts, and ages grow accordingly.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer as createWebServer } from 'node:http';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parse } from 'yaml';
import { certificate } from './certificate.mjs';
import { connected } from './nats.mjs';
import { DURABILITY, folder, freePorts, status } from './program.mjs';
import { evaluate, fires, read, samples } from './promql.mjs';

const SCALE = 100;
const EVERY_MS = 200;
const python = process.env.WAYBILL_K8S_PYTHON ?? 'python3';
const rules = parse(readFileSync(fileURLToPath(new URL('../../deploy/prometheus/alerts.yaml', import.meta.url)), 'utf8')).groups.flatMap((group) => group.rules);

/** Starts a process of the program and returns it with its addresses. Reads its log unless `isStuck`. */
async function program(t, args, env, isStuck = false) {
  const [http, ops, ingest] = await freePorts(3);
  const data = join(folder(t), 'data');
  const all = {
    PATH: process.env.PATH, WAYBILL__DATA: data,
    WAYBILL__HTTP__HOST: '127.0.0.1', WAYBILL__HTTP__PORT: String(http),
    WAYBILL__OPS__HOST: '127.0.0.1', WAYBILL__OPS__PORT: String(ops),
    WAYBILL__INGEST__PORT: String(ingest), ...env,
  };
  const child = spawn(process.env.WAYBILL_BIN, args, { env: all, stdio: ['ignore', isStuck ? 'pipe' : 'ignore', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  const local = (port) => `http://127.0.0.1:${port}`;
  const it = { child, env: all, data, http: local(http), ops: local(ops), ingest: local(ingest) };
  for (let at = 0; await status(`${it.ops}/livez`) !== 200; at++) {
    assert.ok(at < 300 && child.exitCode === null, `${args} did not start`);
    await sleep(100);
  }
  return it;
}

/** Scrapes a process while `work` runs, in scaled time. */
async function scraped(it, work) {
  const history = [];
  const begun = Date.now();
  let working = true;
  const scraping = (async () => {
    while (working) {
      const text = await fetch(`${it.ops}/metrics`).then((answer) => answer.text(), () => '');
      const found = samples(text).map((sample) => (/_oldest(_due)?_seconds$/.test(sample.name) ? { ...sample, value: sample.value * SCALE } : sample));
      history.push({ at: ((Date.now() - begun) / 1000) * SCALE, samples: found });
      await sleep(EVERY_MS);
    }
  })();
  await work();
  working = false;
  await scraping;
  return history;
}

const STEP = (EVERY_MS / 1000) * SCALE;
const fired = (history) => rules.filter((rule) => fires(rule, history, STEP)).map((rule) => rule.alert);
const post = (url, body, headers = {}) => fetch(url, { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify(body) }).then((answer) => answer.text(), () => '');
const until = async (seconds, work) => {
  for (const end = Date.now() + seconds * 1000; Date.now() < end;) await work();
};

/** Sends some requests at a time, for some seconds. Waits for no answer before it sends more: an answer may take long. */
const rush = async (seconds, { count, pause }, send) => {
  const sent = [];
  await until(seconds, async () => {
    sent.push(...Array.from({ length: count }, (_, at) => send(at)));
    await sleep(pause);
  });
  await Promise.all(sent);
};

const get = (url, headers = {}) => fetch(url, { headers }).then((answer) => answer.text(), () => '');

/** Starts a geocoding provider that takes longer than a second to answer. Returns its address. */
async function sluggish(t) {
  const server = createWebServer((_, answer) => setTimeout(() => answer.end('[]'), 1500));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `http://127.0.0.1:${server.address().port}/search`;
}

const SQL = `
import sqlite3, sys, time, datetime
path, hold, *statements = sys.argv[1:]
now = datetime.datetime.now(datetime.timezone.utc)
ago = (now - datetime.timedelta(hours=1)).isoformat()
db = sqlite3.connect(path, isolation_level=None, timeout=20)
for statement in statements:
    db.execute(statement.replace(':ago', "'" + ago + "'"))
if float(hold) > 0:
    db.execute('BEGIN IMMEDIATE')
    time.sleep(float(hold))
`;
/**
 * Runs statements on a database of the program, and then keeps the program from writing to it for some
 * seconds.
 */
const sql = (t, it, service, hold, ...statements) => new Promise((resolve) => {
  const child = spawn(python, ['-c', SQL, join(it.data, `${service}.db`), String(hold), ...statements], { stdio: 'inherit' });
  t.after(() => child.kill('SIGKILL'));
  child.on('exit', resolve);
});

const psql = (url, command) => ['psql', ['--quiet', '--no-psqlrc', '--set', 'ON_ERROR_STOP=1', '--dbname', url, '--command', command]];

/** Starts the deliveries service on Postgres and NATS, with its own database and namespace. */
async function deliveries(t) {
  const { WAYBILL_TEST_POSTGRES_URL: postgres, WAYBILL_TEST_NATS_URL: nats } = process.env;
  const name = `alerts_${randomBytes(4).toString('hex')}`;
  const [dead] = await freePorts(1);
  const url = new URL(postgres);
  url.pathname = `/${name}`;
  execFileSync(...psql(postgres, `CREATE DATABASE ${name}`));
  t.after(() => execFileSync(...psql(postgres, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)));
  const env = {
    ...DURABILITY, WAYBILL__DATABASE__URL: String(url), WAYBILL__BUS__URL: nats, WAYBILL__BUS__NAMESPACE: name, WAYBILL__PEERS__URL: `http://127.0.0.1:${dead}`,
    WAYBILL__AUTH__SERVICE_SECRET: 'x'.repeat(64), WAYBILL__BLOB__KIND: 's3', WAYBILL__BLOB__ENDPOINT: `http://127.0.0.1:${dead}`, WAYBILL__BLOB__BUCKET: 'waybill',
    WAYBILL__BLOB__ACCESS_KEY: 'x', WAYBILL__BLOB__SECRET_KEY: 'x', WAYBILL__GRPC__PORT: String((await freePorts(1))[0]),
  };
  execFileSync(process.env.WAYBILL_BIN, ['migrate', '--target', 'deliveries'], { env: { PATH: process.env.PATH, ...env }, stdio: 'ignore' });
  const bus = await connected(t, nats);
  const of = (service) => `${name.toUpperCase()}_${service}`;
  const it = await program(t, ['serve', '--target', 'deliveries'], env);
  for (const [stream, consumer] of [['DRIVERS', 'deliveries-drivers'], ['INTAKE', 'deliveries-intake']]) {
    for (let at = 0; (await bus.ask(`$JS.API.CONSUMER.INFO.${of(stream)}.${consumer}`)).error; at++) {
      assert.ok(at < 200, `${consumer} reads nothing`);
      await sleep(100);
    }
  }
  return { ...it, database: String(url), publish: (messages) => bus.publish(messages.map(([subject, text]) => [`${name}.${subject}`, text])) };
}

/** Keeps a service from handling events and reports, whose handling begins with one of these tables. */
async function locked(t, database, tables) {
  const [program, args] = psql(database, 'BEGIN');
  const commands = [`LOCK TABLE ${tables.join(', ')} IN ACCESS EXCLUSIVE MODE`, 'SELECT 1', 'SELECT pg_sleep(120)'];
  const child = spawn(program, [...args, ...commands.flatMap((command) => ['--command', command])], { stdio: ['ignore', 'pipe', 'ignore'] });
  t.after(() => child.kill('SIGKILL'));
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve);
    child.once('exit', () => reject(new Error('the tables could not be locked')));
  });
}

/** Returns how many events wait for each consumer of a service. */
const waiting = async (it) => samples(await (await fetch(`${it.ops}/metrics`)).text()).filter(({ name }) => name === 'waybill_consumer_waiting').map(({ value }) => value);

async function token(it) {
  execFileSync(process.env.WAYBILL_BIN, ['admin', 'create', '--username', 'admin', '--email', 'admin@example.com', '--password-stdin'], { env: it.env, input: 'a long pass phrase\n', stdio: ['pipe', 'ignore', 'ignore'] });
  const login = await fetch(`${it.http}/auth`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify({ method: 'login', username: 'admin', password: 'a long pass phrase' }) });
  const cookie = login.headers.getSetCookie().map((it) => it.split(';')[0]).join('; ');
  return (await fetch(`${it.http}/auth?method=getToken`, { headers: { cookie } })).text();
}

/** Starts a mail server that refuses every recipient for good. Returns its address. */
async function refusing(t) {
  const server = createServer((socket) => {
    socket.on('error', () => {});
    socket.write('220 here\r\n');
    createInterface({ input: socket }).on('line', (line) => socket.write(line.startsWith('RCPT') ? '550 nobody of that name\r\n' : '250 yes\r\n'));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return `smtp://127.0.0.1:${server.address().port}`;
}

const letter = (state, next, method = 'status') => `INSERT INTO delivery_dead_letter (id, delivery_id, delivery_key, method, state, position, queued_at, created_at, next_attempt_at, payload, request_headers, response_body, error_class, error_text, error_fingerprint, attempts, tries, attempt_log, idempotency_key, resends)
  VALUES (randomblob(16), '80100001', '80100001', '${method}', '${state}', 1, :ago, :ago, ${next}, '{}', '{}', '', 'connection', 'refused', 'x', 1, 1, '[]', hex(randomblob(16)), 0)`;

/** Each kind of trouble, and the alerts that it must cause. */
const TROUBLE = {
  'more people sign in at once than the machine can check': {
    alerts: ['WaybillRequestsFail', 'WaybillSignInIsBusy', 'WaybillIsBusy'],
    start: (t) => program(t, [], { WAYBILL__AUTH__HASH_WORKERS: '1', WAYBILL__AUTH__HASH_QUEUE: '1', WAYBILL__AUTH__ADDRESS_ATTEMPTS: '1000000', WAYBILL__HTTP__MAX_ANONYMOUS_IN_FLIGHT: '64' }),
    hurt: (it) => rush(10, { count: 40, pause: 300 }, (at) => post(`${it.http}/auth`, { method: 'login', username: `nobody${at}`, password: 'wrong' })),
  },
  'requests are slow, and positions are refused': {
    alerts: ['WaybillRequestsAreSlow', 'WaybillPositionsFail'],
    start: async (t) =>
      program(t, [], {
        WAYBILL__GEOCODING__PROVIDER: 'nominatim', WAYBILL__GEOCODING__URL: await sluggish(t), WAYBILL__GEOCODING__HOSTS: JSON.stringify(['127.0.0.1']),
        WAYBILL__GEOCODING__REQUESTS_PER_MINUTE: '1000', WAYBILL__INGEST__REQUESTS_PER_MINUTE: '1',
      }),
    hurt: async (it) => {
      const headers = { authorization: `Bearer ${await token(it)}`, 'auth-provider': 'dbAuth' };
      await Promise.all(Array.from({ length: 30 }, async (_, at) => {
        await sleep(at * 500);
        await Promise.all([get(`${it.http}/geocode?address=Street%20${at}`, headers), get(`${it.ingest}/?id=phone&lat=14.5&lon=121`)]);
      }));
    },
  },
  'services, the cache and whoever reads the log are away, and a certificate was not renewed': {
    alerts: ['WaybillOperationsFail', 'WaybillServiceIsNotReached', 'WaybillIsNotReady', 'WaybillDependencyIsAway', 'WaybillCertificateExpires', 'WaybillLogIsLost'],
    start: async (t) => {
      const [peers, redis, nats] = await freePorts(3);
      const env = {
        ...certificate(folder(t), 5), WAYBILL__PEERS__URL: `https://127.0.0.1:${peers}`, WAYBILL__CACHE__URL: `redis://127.0.0.1:${redis}`, WAYBILL__BUS__URL: `nats://127.0.0.1:${nats}`,
        WAYBILL__AUTH__SERVICE_SECRET: 'x'.repeat(64), WAYBILL__BLOB__KIND: 's3', WAYBILL__BLOB__ENDPOINT: `http://127.0.0.1:${redis}`, WAYBILL__BLOB__BUCKET: 'waybill',
        WAYBILL__BLOB__ACCESS_KEY: 'x', WAYBILL__BLOB__SECRET_KEY: 'x', WAYBILL__TELEMETRY__LOG: 'trace', WAYBILL__TELEMETRY__LOG_FORMAT: 'json',
      };
      return program(t, ['serve', '--target', 'gateway'], env, true);
    },
    hurt: (it) => rush(14, { count: 10, pause: 200 }, () => post(`${it.http}/graphql`, { query: '{ adminNeeded { needed } }' })),
  },
  'consumers fail, messages are not taken, and a database is kept busy': {
    alerts: ['WaybillEventsAreNotPublished', 'WaybillEventsAreNotHandled', 'WaybillEventsWereGivenUp', 'WaybillMessagesAreNotSent', 'WaybillMessagesFailed', 'WaybillDeadLettersWereReported', 'WaybillJobsWait', 'WaybillPoolIsUsedUp'],
    start: (t) => program(t, [], {}),
    hurt: async (it, t) => {
      const bearer = await token(it);
      await sql(t, it, 'analytics', 0, 'DROP TABLE inbox');
      await sql(t, it, 'deliveries', 0, letter('failed', 'NULL'), letter('failed', 'NULL', 'event'), letter('scheduled_retry', ':ago'));
      const held = sql(t, it, 'upload', 26, 'BEGIN IMMEDIATE', "INSERT INTO job (id, kind, created_by, created_at) VALUES (randomblob(16), 'import', 'system', :ago)", 'COMMIT');
      let at = 0;
      await until(27, async () => {
        at += 1;
        const input = { driverId: `D${at}`, name: `Driver ${at}`, username: `driver${at}` };
        await post(`${it.http}/graphql`, { query: 'mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', variables: { input } }, { authorization: `Bearer ${bearer}`, 'auth-provider': 'dbAuth' });
        await sleep(400);
      });
      await held;
    },
  },
  'somebody creates links for many drivers': {
    alerts: ['WaybillManyDriverLinks'],
    start: (t) => program(t, [], {}),
    hurt: async (it) => {
      const headers = { authorization: `Bearer ${await token(it)}`, 'auth-provider': 'dbAuth' };
      const ask = async (query, variables) => JSON.parse(await post(`${it.http}/graphql`, { query, variables }, headers)).data;
      const input = { driverId: 'D1', name: 'Nestor', username: 'nestor' };
      await ask('mutation($input: CreateDriverInput!) { createDriver(input: $input) { driverId } }', { input });
      let account;
      for (let at = 0; !account; at++) {
        assert.ok(at < 100, 'the driver gets no account');
        await sleep(100);
        [account] = (await ask('{ driverAccounts { id } }')).driverAccounts;
      }
      for (let at = 0; at < 40; at++) {
        await ask('mutation($id: String!) { createResetLink(input: { userId: $id }) { kind } }', { id: account.id });
      }
      await sleep(2000);
    },
  },
  'the mail server refuses an email': {
    alerts: ['WaybillMailsAreLost'],
    start: async (t) =>
      program(t, [], {
        WAYBILL__MAIL__SMTP_URL: await refusing(t), WAYBILL__MAIL__FROM: 'no-reply@waybill.example',
        WAYBILL__HTTP__PUBLIC_URL: 'https://waybill.example',
      }),
    hurt: async (it) => {
      await token(it);
      await post(`${it.http}/auth`, { method: 'forgotPassword', username: 'admin' });
      await sleep(5000);
    },
  },
  'the last process is gone': {
    alerts: ['WaybillIsNotSeen'],
    start: (t) => program(t, [], {}),
    hurt: async (it) => {
      it.child.kill('SIGKILL');
      await sleep(5000);
    },
  },
  'more comes from the broker than a service can take in': {
    alerts: ['WaybillEventsPileUp', 'WaybillReportsWait'],
    start: deliveries,
    hurt: async (it, t) => {
      await locked(t, it.database, ['producer', 'inbox', 'dead_letters', 'event_attempts']);
      await it.publish([
        ...Array.from({ length: 1200 }, (_, at) => ['drivers.driver.changed.v1', `event ${at}`]),
        ...Array.from({ length: 3 }, (_, at) => ['intake.erp.deadletter.raised.v1', `report ${at}`]),
      ]);
      // The service notices how many wait when it takes the next one, or when handling one takes long.
      for (let at = 0; !(await waiting(it)).some((number) => number > 1000); at++) {
        assert.ok(at < 120, 'the service does not see what waits');
        await sleep(500);
      }
      await sleep(12_000);
    },
  },
};

test('alerts: none fires while nothing is wrong, each of them when what it is about happens', async (t) => {
  const seen = new Set();
  const healthy = (async () => {
    const it = await program(t, [], {});
    const history = await scraped(it, () => until(20, async () => {
      await post(`${it.http}/graphql`, { query: '{ adminNeeded { needed } }' });
      await sleep(200);
    }));
    assert.deepEqual(fired(history), [], 'nothing was wrong');
  })();
  const hurt = Object.entries(TROUBLE).map(async ([title, { alerts, start, hurt: work }]) => {
    const it = await start(t);
    const history = await scraped(it, () => work(it, t));
    const found = fired(history);
    for (const alert of alerts) {
      assert.ok(found.includes(alert), `${title}: ${alert} does not fire, only ${found.join(', ') || 'none'}`);
      seen.add(alert);
    }
  });
  await Promise.all([healthy, ...hurt]);
  assert.deepEqual(rules.map((rule) => rule.alert).filter((alert) => !seen.has(alert)), [], 'alerts that no test causes');
});

test('what stands in for Prometheus reckons as it does', () => {
  const history = [0, 60, 120].map((at, n) => ({ at, samples: samples(`a_total{of="x"} ${n * 6}\na_total{of="y"} 5\nh_bucket{le="1"} ${n * 5}\nh_bucket{le="2"} ${n * 10}\nh_bucket{le="+Inf"} ${n * 10}`) }));
  const value = (text) => evaluate(read(text), history, 120).map((it) => it.value);
  assert.deepEqual(value('sum by (of) (rate(a_total[5m]))'), [0.1, 0]);
  assert.deepEqual(value('increase(a_total{of="x"}[5m]) > 10'), [30]);
  assert.deepEqual(value('a_total{of!~"x|z"} == 5'), [5]);
  assert.deepEqual(value('histogram_quantile(0.75, sum by (le) (rate(h_bucket[5m])))'), [1.5]);
  assert.deepEqual(value('absent(b)'), [1]);
  assert.deepEqual(value('sum(a_total) - 7'), [10]);
  assert.deepEqual(value('a_total{of="x"} unless a_total > 6'), []);
  assert.deepEqual(value('a_total - a_total == 0'), [0, 0]);
  assert.throws(() => read('deriv(a[5m])'), /not known/);
});
