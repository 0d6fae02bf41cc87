// The split deployment in action: migrations, probes, accounts, and a rollout that nobody notices.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { test } from 'node:test';
import { services, targets } from '../../scripts/deployments/table.mjs';
import { Cluster } from './cluster.mjs';
import { ANSWERS } from './handshake.mjs';
import { Ingress, QUESTIONS } from './ingress.mjs';
import { status, until } from './program.mjs';

const [USERNAME, PASSWORD] = ['keeper', 'a long pass phrase'];

test('dev: tables come first, every account is enough and no more, and a roll-out costs no request', { timeout: 300_000 }, async (t) => {
  const cluster = await Cluster.begin(t, 'quick');
  cluster.encryption = 'off';
  const names = targets().map(({ name }) => name);
  // Each step depends on the previous one.
  let failed = false;
  const step = (name, run) => t.test(name, async () => {
    assert.ok(!failed, 'a step before this one failed');
    failed = true;
    await run();
    failed = false;
  });

  await step('a service refuses to start without its tables; migrations make them', async () => {
    const early = await cluster.refusal('settings');
    assert.ok(early.code > 0 && early.text.includes('MIGRATIONS_PENDING'), JSON.stringify(early));
    await cluster.migrateAll();
  });

  await step('every target starts and is found ready by the probes of its manifest', async () => {
    await Promise.all(names.map((name) => cluster.add(name)));
    for (const name of names) {
      const [pod] = cluster.pods.get(name);
      const { dependencies } = await (await fetch(`http://127.0.0.1:${pod.ops}/readyz`)).json();
      const away = Object.keys(dependencies).filter((it) => !dependencies[it] && it !== 'objects');
      assert.deepEqual(away, [], `${name} cannot reach something with its own secrets`);
    }
  });

  const ingress = new Ingress(cluster);
  await step('what people do works, with the accounts that deploy/ makes', async () => {
    cluster.account(USERNAME, PASSWORD);
    await ingress.signIn(USERNAME, PASSWORD);
    for (const query of QUESTIONS) await ingress.ask(query);
    assert.deepEqual(ingress.failures, []);
  });

  await step('a roll-out costs no request, nor do new roles of the databases, a new service secret and encryption that is turned on', async () => {
    const end = ingress.begin(50);
    const [old, next] = [cluster.serviceSecret(), randomBytes(32).toString('hex')];
    try {
      cluster.writeServiceSecret(old, next);
      cluster.encryption = 'accepted';
      await cluster.rollAll(names, 4);
      const lock = services().map(({ name }) => cluster.replaceDatabaseRole(name));
      cluster.writeServiceSecret(next, old);
      cluster.encryption = 'used';
      await cluster.rollAll(names, 4);
      for (const first of lock) first();
      cluster.writeServiceSecret(next);
      cluster.encryption = 'required';
      await cluster.rollAll(names, 4);
    } finally {
      await end();
    }
    assert.deepEqual(ingress.failures, []);
    assert.ok(ingress.sent > 500, `${ingress.sent} requests are too few to say anything`);
    t.diagnostic(`${ingress.report()} during three restarts of each target`);
  });

  await step('services answer nobody without a certificate for clients, and use a renewed one without a restart', async () => {
    const end = ingress.begin(20);
    try {
      for (const { name } of services()) {
        const [pod] = cluster.pods.get(name);
        assert.match(await cluster.handshake(pod, 'gateway'), ANSWERS, name);
        assert.match(await cluster.handshake(pod), /CERTIFICATE_REQUIRED/, name);
        // NATS has a certificate of the same authority, for servers only.
        assert.match(await cluster.handshake(pod, 'nats'), /ALERT|CERT/, name);
        assert.equal(await status(`http://127.0.0.1:${pod.main}`), 0, `${name} answers without TLS`);
      }
      const renewed = cluster.renewCertificate('auth');
      const [pod] = cluster.pods.get('auth');
      await until(30, async () => await cluster.handshake(pod, 'gateway') === renewed, 'auth does not use its new certificate');
    } finally {
      await end();
    }
    assert.deepEqual(ingress.failures, []);
  });

  await step('nobody tried anything on the bus that its account may not', () => {
    const violations = cluster.nats.log().split('\n').filter((line) => /violation|authorization/i.test(line));
    assert.deepEqual(violations, []);
  });
});
