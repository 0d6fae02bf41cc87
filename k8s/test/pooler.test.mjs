// Behind PgBouncer: in session mode everything works; in transaction mode nothing starts, and the program
// says why.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { accepts, DURABILITY, folder, freePorts, until } from './program.mjs';

const { WAYBILL_BIN: program, WAYBILL_TEST_POSTGRES_URL: postgres, WAYBILL_PGBOUNCER: pgbouncer } = process.env;
const server = new URL(postgres);
const psql = (...commands) =>
  execFileSync('psql', ['--quiet', '--no-psqlrc', '--dbname', postgres, ...commands.flatMap((it) => ['--command', it])]);

/**
 * Starts a PgBouncer with these settings in front of the tests' Postgres. Returns the address of the
 * databases behind it.
 */
async function pooler(t, prefix, settings) {
  const [port] = await freePorts(1);
  const base = folder(t);
  chmodSync(base, 0o755);
  writeFileSync(join(base, 'users.txt'), `"${prefix}role" "secret"\n`);
  const path = join(base, 'pgbouncer.ini');
  const lines = [
    '[databases]', `* = host=${server.hostname} port=${server.port || 5432}`,
    '[pgbouncer]', 'listen_addr = 127.0.0.1', `listen_port = ${port}`, 'unix_socket_dir =', 'auth_type = plain', `auth_file = ${base}/users.txt`,
    // PgBouncer refuses to run as root.
    ...(process.getuid() === 0 ? ['user = nobody'] : []),
    ...Object.entries(settings).map(([key, value]) => `${key} = ${value}`),
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  const child = spawn(pgbouncer, ['-q', path], { stdio: ['ignore', 'ignore', 'inherit'] });
  t.after(() => child.kill('SIGKILL'));
  await until(20, () => accepts(port), 'PgBouncer did not start');
  return `postgres://${prefix}role:secret@127.0.0.1:${port}/${prefix}{service}`;
}

test('pooler: in session mode it works, in transaction mode it is refused in words', async (t) => {
  assert.ok(pgbouncer, 'run it by scripts/test-k8s.sh, which finds PgBouncer');
  const prefix = `pooler_${randomBytes(4).toString('hex')}_`;
  psql(`CREATE ROLE ${prefix}role LOGIN PASSWORD 'secret'`, `CREATE DATABASE ${prefix}settings OWNER ${prefix}role`);
  t.after(() => psql(`DROP DATABASE ${prefix}settings WITH (FORCE)`, `DROP ROLE ${prefix}role`));
  const migrate = (url) => {
    const env = {
      PATH: process.env.PATH,
      ...DURABILITY,
      WAYBILL__DATA: folder(t),
      WAYBILL__DATABASE__URL: url,
      WAYBILL__TELEMETRY__LOG: 'error',
      // Services require these settings, but migrations do not use them.
      WAYBILL__AUTH__SERVICE_SECRET: randomBytes(32).toString('hex'),
      WAYBILL__BUS__URL: 'nats://127.0.0.1:1',
      WAYBILL__BLOB__KIND: 's3',
      WAYBILL__BLOB__ENDPOINT: 'http://127.0.0.1:1',
      WAYBILL__BLOB__BUCKET: 'none',
      WAYBILL__BLOB__ACCESS_KEY: 'none',
      WAYBILL__BLOB__SECRET_KEY: 'none',
    };
    const { status, stderr } = spawnSync(program, ['migrate', '--target', 'settings'], { env, encoding: 'utf8' });
    return { status, stderr };
  };
  const passing = { ignore_startup_parameters: 'extra_float_digits,options' };
  const bare = migrate(await pooler(t, prefix, { pool_mode: 'session' }));
  assert.ok(bare.status === 1 && /refuses the setting (extra_float_digits|options)\. docs\/supported-versions/.test(bare.stderr), bare.stderr);
  const session = await pooler(t, prefix, { pool_mode: 'session', ...passing });
  const forgetful = migrate(session);
  assert.ok(forgetful.status === 1 && forgetful.stderr.includes('has another statement timeout than Waybill set (0 ms instead of 10000)'), forgetful.stderr);
  psql(`ALTER ROLE ${prefix}role SET statement_timeout = 10000`);
  const transaction = migrate(await pooler(t, prefix, { pool_mode: 'transaction', ...passing }));
  assert.ok(transaction.status === 1 && transaction.stderr.includes('gives every transaction another connection'), transaction.stderr);
  // The earlier pool has connections that were opened without the setting.
  assert.deepEqual(migrate(await pooler(t, prefix, { pool_mode: 'session', ...passing })), { status: 0, stderr: '' });
});
