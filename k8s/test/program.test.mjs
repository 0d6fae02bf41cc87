// The program accepts what the manifests give it, and does what they expect.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { createServer } from 'node:tls';
import { targets } from '../../scripts/deployments/table.mjs';
import { certificate } from './certificate.mjs';
import { isOurs, named, ofKind, OVERLAYS, render, workloads } from './manifests.mjs';
import { checked, environmentOf, folder, freePorts, started, status, succeeds, until, writeSecrets } from './program.mjs';

const SAMPLES = {
  service_secret: 'x'.repeat(64),
  database_url: 'postgres://name:password@postgres:5432/name',
  nats_url: 'nats://name:password@nats:4222',
  redis_url: 'redis://:password@redis:6379',
  s3_access_key: 'waybill',
  s3_secret_key: 'secret',
  smtp_url: 'smtps://name:password@mail.example.com:465',
};
const ours = (objects) => workloads(objects).filter(({ object }) => isOurs(object));
const targetOf = ({ args }) => args[args.indexOf('--target') + 1] ?? 'all';
const containerOf = (objects, name) => named(objects, 'Deployment', name).spec.template.spec.containers[0];

test('the program has nothing against the configuration of any container', async (t) => {
  const secrets = folder(t);
  writeSecrets(secrets, SAMPLES);
  for (const overlay of Object.keys(OVERLAYS)) {
    const objects = render(overlay);
    await Promise.all(ours(objects).map(async ({ title, containers: [container] }) => {
      const target = container.args.includes('--target') ? targetOf(container) : 'all';
      const said = await checked(target, environmentOf(objects, container, secrets));
      assert.equal(said, null, `${overlay}, ${title}: ${said}`);
    }));
  }
  const objects = render('prod');
  ofKind(objects, 'ConfigMap')[0].data.WAYBILL__HTTP__PROT = '80';
  const said = await checked('gateway', environmentOf(objects, containerOf(objects, 'gateway'), secrets));
  assert.match(said, /http\.prot/, 'an unknown setting is refused');
});

test('the targets of the manifests are those of the command line', () => {
  const help = execFileSync(process.env.WAYBILL_BIN, ['serve', '--help'], { encoding: 'utf8' });
  const [, values] = help.match(/\[possible values: ([^\]]*)\]/);
  const known = values.split(',').map((it) => it.trim()).toSorted();
  assert.deepEqual(known, ['all', ...targets().map((target) => target.name)].toSorted());
  const made = ofKind(render('prod'), 'Deployment').map((it) => it.metadata.name);
  assert.deepEqual(['all', ...made].toSorted(), known);
});

/** Stops a process as a kubelet does, and expects it to end well within its grace period. */
async function stops(objects, name, process) {
  const { terminationGracePeriodSeconds } = named(objects, 'Deployment', name).spec.template.spec;
  process.child.kill('SIGTERM');
  const end = await Promise.race([process.ended, sleep(terminationGracePeriodSeconds * 1000, { code: 'killed' }, { ref: false })]);
  assert.equal(end.code, 0, `${name}: ${JSON.stringify(end)}: ${process.said()}`);
}

/**
 * Starts a mail server with a certificate of an own authority. Returns the environment of its clients, and whether it
 * got a mail.
 */
async function mailServer(t) {
  const { WAYBILL__GRPC__CERTIFICATE_FILE: file, WAYBILL__GRPC__KEY_FILE: key } = certificate(folder(t), 100);
  const [port] = await freePorts(1);
  let hasMail = false;
  const server = createServer({ cert: readFileSync(file), key: readFileSync(key) }, (socket) => {
    let [said, isText] = ['', false];
    socket.on('error', () => {});
    socket.on('data', (piece) => {
      said += piece;
      if (!said.endsWith(isText ? '\r\n.\r\n' : '\r\n')) return;
      hasMail ||= isText;
      isText = said === 'DATA\r\n';
      said = '';
      socket.write(isText ? '354 go on\r\n' : '250 yes\r\n');
    });
    socket.write('220 here\r\n');
    t.after(() => socket.destroy());
  });
  server.on('tlsClientError', () => {});
  t.after(() => server.close());
  await new Promise((resolve) => { server.listen(port, '127.0.0.1', resolve); });
  return { env: { SSL_CERT_FILE: file, WAYBILL__MAIL__SMTP_URL: `smtps://127.0.0.1:${port}` }, hasMail: () => hasMail };
}

/** Returns the single process of `small` with its data in this folder, once it is ready. */
async function small(t, data, more = {}) {
  const objects = render('small');
  const container = containerOf(objects, 'waybill');
  const [http, ops] = await freePorts(2);
  const env = environmentOf(objects, container, '', {
    WAYBILL__DATA: data,
    WAYBILL__HTTP__HOST: '127.0.0.1',
    WAYBILL__HTTP__PORT: String(http),
    WAYBILL__OPS__HOST: '127.0.0.1',
    WAYBILL__OPS__PORT: String(ops),
    ...more,
  });
  const process = started(t, container, env);
  const { startupProbe, readinessProbe } = container;
  await succeeds(startupProbe, ops, startupProbe.periodSeconds * startupProbe.failureThreshold, process);
  await succeeds(readinessProbe, ops, 10, process);
  return { container, env, http: `http://127.0.0.1:${http}`, ops: `http://127.0.0.1:${ops}`, stop: () => stops(objects, 'waybill', process) };
}

test('small: starts, is found ready by its probes, serves, and stops in time', async (t) => {
  const { container, http, ops, stop } = await small(t, join(folder(t), 'data'));
  assert.equal(await status(ops + container.livenessProbe.httpGet.path), 200);
  assert.equal(await status(`${http}/health`), 200);
  assert.equal(await status(http + container.readinessProbe.httpGet.path), 200, 'the application, not the probe');
  await stop();
});

test('small: a copy of the folder of a stopped program starts elsewhere, with what was in it, and mails by an own authority', async (t) => {
  const [first, second] = [join(folder(t), 'data'), join(folder(t), 'data')];
  const post = async (http, body) =>
    (await fetch(`${http}/auth`, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) })).status;
  const login = (http) => post(http, { method: 'login', username: 'keeper', password: 'a long pass phrase' });
  const before = await small(t, first);
  const create = ['admin', 'create', '--username', 'keeper', '--email', 'keeper@example.com', '--password-stdin'];
  execFileSync(process.env.WAYBILL_BIN, create, { env: before.env, input: 'a long pass phrase\n' });
  assert.equal(await login(before.http), 200);
  await before.stop();
  cpSync(first, second, { recursive: true });
  const mail = await mailServer(t);
  const after = await small(t, second, mail.env);
  assert.equal(await login(after.http), 200);
  assert.equal(await post(after.http, { method: 'forgotPassword', username: 'keeper' }), 200);
  await until(20, mail.hasMail, 'no mail arrived: is the certificate refused?');
  await after.stop();
});
