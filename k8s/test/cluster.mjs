// A small cluster: the containers of `dev` run as processes, and are replaced as a kubelet and a deployment
// would replace them. A service's name leads to a socket of the test, which passes connections on to the pods
// that are ready and learns about changes a second late.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { randomBytes, X509Certificate } from 'node:crypto';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { services, targets } from '../../scripts/deployments/table.mjs';
import { handshake } from './handshake.mjs';
import { named, render } from './manifests.mjs';
import { accepts, DURABILITY, environmentOf, finished, folder, freePorts, started, status, succeeds, until, writeSecrets } from './program.mjs';

/**
 * The states of docs/upgrades.md in which encryption is turned on. The last is that of the manifests; the first is
 * that of a release that can't encrypt.
 */
const ENCRYPTION = {
  unknown: { scheme: 'http', settings: {} },
  off: { scheme: 'http', settings: { PEERS__URL: 'http://{service}:8081', GRPC__CERTIFICATE_FILE: '', GRPC__KEY_FILE: '', GRPC__AUTHORITY_FILE: '' } },
  accepted: { scheme: 'http', settings: { PEERS__URL: 'http://{service}:8081', GRPC__ALLOW_PLAINTEXT: 'true' } },
  used: { scheme: 'https', settings: { GRPC__ALLOW_PLAINTEXT: 'true' } },
  required: { scheme: 'https', settings: {} },
};
const root = fileURLToPath(new URL('../..', import.meta.url));
/**
 * The waits of a pod that ends, in milliseconds: until everybody knows that it ends, until it is told to
 * stop, and how long it works after that. They are those of the manifests, or shorter where many pods are
 * restarted.
 */
const PACES = {
  manifest: { propagation: 1000 },
  quick: { propagation: 400, preStop: 1000, stopDelay: 3000 },
};

/** Passes connections on to the endpoints in turn. */
async function front(t, endpoints) {
  let next = 0;
  const open = new Set();
  const server = createServer((from) => {
    const port = endpoints[next++ % endpoints.length];
    if (port === undefined) {
      from.destroy();
      return;
    }
    const to = connect(port, '127.0.0.1');
    for (const [own, other] of [[from, to], [to, from]]) {
      open.add(own);
      own.on('error', () => other.destroy());
      own.on('close', () => { open.delete(own); other.destroy(); });
      own.pipe(other);
    }
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  t.after(() => { server.close(); for (const socket of open) socket.destroy(); });
  return server.address().port;
}

/** Starts a NATS server with the accounts of deploy/secrets.sh. Returns its port and its log. */
async function nats(t, base) {
  const [port] = await freePorts(1);
  const path = join(base, 'here.conf');
  const given = readFileSync(join(base, 'nats.conf'), 'utf8');
  const here = given.replace('port: 4222\nhttp_port: 8222\n', `listen: "127.0.0.1:${port}"\n`).replace('"/data"', JSON.stringify(join(base, 'nats')));
  assert.ok(here.includes(`:${port}`) && here.includes(join(base, 'nats')), 'nats.conf looks otherwise');
  writeFileSync(path, here);
  const log = join(base, 'nats.log');
  const tls = ['--tls', '--tlscert', join(base, 'nats.crt'), '--tlskey', join(base, 'nats.key')];
  const child = spawn(process.env.WAYBILL_TEST_NATS_SERVER ?? 'nats-server', ['-c', path, '-l', log, ...tls], { stdio: 'ignore' });
  t.after(() => child.kill('SIGKILL'));
  await until(20, () => accepts(port), 'NATS did not start');
  return { port, log: () => readFileSync(log, 'utf8') };
}

const psql = (...commands) =>
  execFileSync('psql', ['--quiet', '--no-psqlrc', '--dbname', process.env.WAYBILL_TEST_POSTGRES_URL, ...commands.flatMap((it) => ['--command', it])]);

export class Cluster {
  /** The manifests and the program of pods that start from now on. */
  objects = render('dev');
  program = process.env.WAYBILL_BIN;
  endpoints = new Map(targets().map(({ name }) => [name, []]));
  pods = new Map();
  fronts = new Map();
  /** How pods encrypt their calls that start from now on: a key of `ENCRYPTION`. */
  encryption = 'required';
  /** Postgres roles that replaced the first role of a service. */
  seconds = [];

  static async begin(t, pace = 'manifest') {
    const cluster = new Cluster();
    cluster.t = t;
    cluster.pace = PACES[pace];
    await cluster.#prepare();
    for (const { name } of targets()) cluster.fronts.set(name, await front(t, cluster.endpoints.get(name)));
    return cluster;
  }

  /** Creates databases, accounts and secrets as deploy/ does, on the servers of the test. */
  async #prepare() {
    const base = folder(this.t);
    const prefix = `k8s_${randomBytes(4).toString('hex')}_`;
    execFileSync(join(root, 'deploy/secrets.sh'), [base]);
    const { WAYBILL_TEST_POSTGRES_URL: postgres, WAYBILL_TEST_REDIS_URL: redis } = process.env;
    assert.ok(postgres && redis, 'run it by scripts/test-k8s.sh, which brings the servers');
    execFileSync(join(root, 'deploy/databases.sh'), {
      env: { ...process.env, WAYBILL_ADMIN_URL: postgres, WAYBILL_SECRETS: base, WAYBILL_PREFIX: prefix },
    });
    this.t.after(() => {
      const sql = services().flatMap(({ name }) => [`DROP DATABASE IF EXISTS ${prefix}${name} WITH (FORCE)`, `DROP ROLE ${prefix}${name}`]);
      psql(...sql, ...this.seconds.map((role) => `DROP ROLE ${role}`));
    });
    this.nats = await nats(this.t, base);
    const { host } = new URL(postgres);
    const made = (file) => readFileSync(join(base, file), 'utf8').trim();
    this.made = base;
    this.secrets = new Map(targets().map(({ name, gateway, keepsObjects }) => {
      const path = join(base, `of-${name}`);
      const database = `${prefix}${name}`;
      writeSecrets(path, {
        service_secret: made('service_secret'),
        'ca.pem': made('ca.pem'),
        ...(keepsObjects ? { s3_access_key: made(`${name}_s3_access_key`), s3_secret_key: made(`${name}_s3_secret_key`) } : {}),
        redis_url: redis,
        nats_url: made(`${name}_nats_url`).replace('@nats:4222', `@localhost:${this.nats.port}`),
        ...(gateway ? {} : { database_url: `postgres://${database}:${made(`${name}_database_password`)}@${host}/${database}` }),
      });
      this.#writeCertificate(name, path);
      return [name, path];
    }));
  }

  /** Writes the certificate of a target as its pods see it, under the names of cert-manager. */
  #writeCertificate(name, path = this.secrets.get(name)) {
    const made = (file) => readFileSync(join(this.made, file), 'utf8').trim();
    writeSecrets(`${path}-tls`, { 'tls.crt': made(`${name}.crt`), 'tls.key': made(`${name}.key`), 'ca.crt': made('ca.pem') });
  }

  /** Renews the certificate of a target, whose pods keep running. Returns the fingerprint of the new one. */
  renewCertificate(name) {
    rmSync(join(this.made, `${name}.crt`));
    execFileSync(join(root, 'deploy/secrets.sh'), [this.made]);
    this.#writeCertificate(name);
    return new X509Certificate(readFileSync(join(this.made, `${name}.crt`))).fingerprint256;
  }

  /**
   * Connects to the gRPC port of a pod as a caller does, with the certificate of a target or without any.
   * Returns the fingerprint of the pod's certificate, or the reason for which it ends the connection.
   */
  handshake({ main }, name) {
    const own = name ? { cert: readFileSync(join(this.made, `${name}.crt`)), key: readFileSync(join(this.made, `${name}.key`)) } : {};
    return handshake(main, { ca: readFileSync(join(this.made, 'ca.pem')), ...own });
  }

  /**
   * Gives a service a second Postgres role in its secrets, as docs/secrets.md describes. Pods that start from
   * now on use it. Returns a function that locks the first role.
   */
  replaceDatabaseRole(name) {
    const file = join(this.secrets.get(name), 'database_url');
    const url = new URL(readFileSync(file, 'utf8').trim());
    const [first, second, password] = [url.username, `${url.username}_2`, randomBytes(16).toString('hex')];
    psql(`CREATE ROLE ${second} LOGIN PASSWORD '${password}' IN ROLE ${first}`, `ALTER ROLE ${second} SET role = ${first}`);
    this.seconds.push(second);
    Object.assign(url, { username: second, password });
    writeFileSync(file, `${url}\n`);
    return () => psql(`ALTER ROLE ${first} NOLOGIN PASSWORD NULL`);
  }

  /** Sets the service secret of every target. Pods that start from now on use it. */
  writeServiceSecret(...secrets) {
    for (const folder of this.secrets.values()) writeFileSync(join(folder, 'service_secret'), `${secrets.join('\n')}\n`);
  }

  /** Returns the service secret that pods start with now. */
  serviceSecret() {
    return readFileSync(join(this.secrets.get('auth'), 'service_secret'), 'utf8').trim();
  }

  container(name) {
    return named(this.objects, 'Deployment', name).spec.template.spec.containers[0];
  }

  environment(name, container, [main, ops] = [8080, 8082]) {
    const { scheme, settings } = ENCRYPTION[this.encryption];
    const peers = services().map((row) => [`WAYBILL__PEERS__${row.name.toUpperCase()}`, `${scheme}://localhost:${this.fronts.get(row.name)}`]);
    const own = { ...settings, HTTP__HOST: '127.0.0.1', HTTP__PORT: main, GRPC__HOST: '127.0.0.1', GRPC__PORT: main, OPS__HOST: '127.0.0.1', OPS__PORT: ops };
    if (this.pace.stopDelay) own.OPS__STOP_DELAY_SECONDS = this.pace.stopDelay / 1000;
    const here = Object.entries(own).map(([key, value]) => [`WAYBILL__${key}`, String(value)]);
    return environmentOf(this.objects, container, this.secrets.get(name), { ...Object.fromEntries([...peers, ...here]), ...DURABILITY });
  }

  /** Returns the output of a process of this target that ends by itself. */
  async refusal(name) {
    const container = this.container(name);
    return finished(container, this.environment(name, container, await freePorts(2)), this.program);
  }

  /** Runs the Job of a service until it ends. */
  async migrate(name) {
    const [container] = named(this.objects, 'Job', `migrate-${name}`).spec.template.spec.containers;
    return finished(container, this.environment(name, container), this.program);
  }

  /**
   * Adds a pod to the Service once its probes succeed. A process that ends while it starts is started again,
   * a few times.
   */
  async add(name, tries = 3) {
    const container = this.container(name);
    const [main, ops] = await freePorts(2);
    const process = started(this.t, container, this.environment(name, container, [main, ops]), this.program);
    const { startupProbe, readinessProbe } = container;
    try {
      await succeeds(startupProbe, ops, startupProbe.periodSeconds * startupProbe.failureThreshold, process);
      await succeeds(readinessProbe, ops, 30, process);
    } catch (error) {
      if (process.child.exitCode === null || tries === 1) throw error;
      console.log(`${name} is started again: ${error.message.split('\n').at(-2)}`);
      return this.add(name, tries - 1);
    }
    this.endpoints.get(name).push(main);
    const pod = { name, main, ops, process };
    this.pods.set(name, [...(this.pods.get(name) ?? []), pod]);
    return pod;
  }

  /** Removes a pod: takes it out of the Service, pauses, sends the signal, and waits for its end. */
  async remove({ name, main, ops, process }) {
    const { terminationGracePeriodSeconds, containers: [container] } = named(this.objects, 'Deployment', name).spec.template.spec;
    const began = Date.now();
    setTimeout(() => {
      const endpoints = this.endpoints.get(name);
      endpoints.splice(endpoints.indexOf(main), 1);
    }, this.pace.propagation);
    await sleep(this.pace.preStop ?? container.lifecycle.preStop.sleep.seconds * 1000);
    process.child.kill('SIGTERM');
    // The process reports at once that it stops, but keeps working until that was noticed, and then ends by
    // itself.
    const says = () => Promise.all(['readyz', 'livez'].map((path) => status(`http://127.0.0.1:${ops}/${path}`)));
    await until(20, async () => (await says()).join() === '500,200', `${name} does not say that it stops, and work on`);
    const left = terminationGracePeriodSeconds * 1000 - (Date.now() - began);
    const end = await Promise.race([process.ended, sleep(left, { code: 'killed' }, { ref: false })]);
    assert.equal(end.code, 0, `${name}: ${JSON.stringify(end)}: ${process.said()}`);
    this.pods.set(name, this.pods.get(name).filter((pod) => pod.main !== main));
  }

  async migrateAll() {
    await Promise.all(services().map(async ({ name }) => {
      const migrated = await this.migrate(name);
      assert.equal(migrated.code, 0, `${name}: ${migrated.text}`);
    }));
  }

  /** Creates tables, a pod of each target, and an account with all permissions. */
  async open(username, password) {
    await this.migrateAll();
    await Promise.all(targets().map(({ name }) => this.add(name)));
    this.account(username, password);
  }

  /** Creates the first account. */
  account(username, password) {
    const create = ['admin', 'create', '--username', username, '--email', `${username}@example.com`, '--password-stdin'];
    const env = this.environment('auth', this.container('auth'));
    execFileSync(this.program, create, { env, input: `${password}\n`, stdio: ['pipe', 'ignore', 'pipe'] });
  }

  /** Rolls out these targets, `together` of them at a time. */
  async rollAll(names, together) {
    const left = [...names];
    const next = async () => {
      for (let name = left.shift(); name; name = left.shift()) await this.roll(name);
    };
    await Promise.all(Array.from({ length: together }, next));
  }

  /** Rolls out one replica: the new pod is ready before the old one ends. */
  async roll(name) {
    const [old] = this.pods.get(name);
    await this.add(name);
    await this.remove(old);
  }
}
