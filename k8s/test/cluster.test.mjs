// The split deployment in action: migrations, probes, accounts, and a roll-out that nobody notices.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { test } from 'node:test';
import { services, targets } from '../../scripts/deployments/table.mjs';
import { Cluster } from './cluster.mjs';

const PASSWORD = 'a long pass phrase';
/** Each asks another service. */
const QUESTIONS = [
  '{ deliveries(page: {limit: 5}) { id } }',
  '{ drivers(page: {limit: 5}) { driverId } }',
  '{ systemSettings(page: {limit: 5}) { id } }',
  '{ uploadLogs(page: {limit: 5}) { id } }',
];

/** Asks as an ingress does: of a gateway that is ready, each in its turn. */
class Ingress {
  sent = 0;
  failures = [];

  constructor(cluster) {
    this.gateways = cluster.endpoints.get('gateway');
  }

  address() {
    return `http://127.0.0.1:${this.gateways[this.sent % this.gateways.length]}`;
  }

  async signIn() {
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ method: 'login', username: 'keeper', password: PASSWORD });
    const answer = await fetch(`${this.address()}/auth`, { method: 'POST', headers, body });
    assert.equal(answer.status, 200, await answer.text());
    const cookie = answer.headers.getSetCookie().map((it) => it.split(';')[0]).join('; ');
    this.token = await (await fetch(`${this.address()}/auth?method=getToken`, { headers: { cookie } })).text();
    assert.ok(this.token, 'nobody is signed in');
  }

  async ask(query) {
    this.sent += 1;
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${this.token}`, 'auth-provider': 'dbAuth' };
    try {
      const answer = await fetch(`${this.address()}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }), signal: AbortSignal.timeout(25_000) });
      const { errors } = await answer.json();
      if (answer.status !== 200 || errors) this.failures.push(`${query}: ${answer.status} ${JSON.stringify(errors)}`);
    } catch (error) {
      this.failures.push(`${query}: ${error.cause ?? error}`);
    }
  }

  /** About fifty requests a second until told to stop. */
  begin() {
    let going = true;
    const asking = QUESTIONS.map(async (query) => {
      while (going) {
        await this.ask(query);
        await sleep(80);
      }
    });
    return async () => {
      going = false;
      await Promise.all(asking);
    };
  }
}

test('dev: tables come first, every account is enough and no more, and a roll-out costs no request', { timeout: 240_000 }, async (t) => {
  const cluster = await Cluster.begin(t);
  const names = targets().map(({ name }) => name);
  // Each step stands on the one before it.
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
    await Promise.all(services().map(async ({ name }) => {
      const migrated = await cluster.migrate(name);
      assert.equal(migrated.code, 0, `${name}: ${migrated.text}`);
    }));
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
    const auth = cluster.container('auth');
    const create = ['admin', 'create', '--username', 'keeper', '--email', 'keeper@example.com', '--password-stdin'];
    execFileSync(process.env.WAYBILL_BIN, create, { env: cluster.environment('auth', auth), input: `${PASSWORD}\n` });
    await ingress.signIn();
    for (const query of QUESTIONS) await ingress.ask(query);
    assert.deepEqual(ingress.failures, []);
  });

  await step('a roll-out costs no request', async () => {
    const end = ingress.begin();
    // A share; every target, one after the other, in the long run.
    try {
      if (process.env.WAYBILL_LONG) for (const name of names) await cluster.roll(name);
      else await Promise.all(['gateway', 'auth', 'deliveries'].map((name) => cluster.roll(name)));
    } finally {
      await end();
    }
    assert.deepEqual(ingress.failures, []);
    assert.ok(ingress.sent > 50, `${ingress.sent} requests are too few to say anything`);
    t.diagnostic(`${ingress.sent} requests during the roll-out`);
  });

  await step('nobody tried anything on the bus that its account may not', () => {
    const violations = cluster.nats.log().split('\n').filter((line) => /violation|authorization/i.test(line));
    assert.deepEqual(violations, []);
  });
});
