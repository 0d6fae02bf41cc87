// Runs deploy/compose.yaml as processes of this machine: with the commands, the environment, the secrets and the order of
// the file. Each container has its own files, names and ports. Here, paths lead to folders of the test, and a server's name
// and port lead to a free port of localhost. Nothing else is changed, and a process gets no more than its container would.
// Two servers are replaced, because their programs are missing here: the S3 server by s3.mjs, the collector by #collector.
import assert from 'node:assert/strict';
import { execFile, execFileSync, spawn } from 'node:child_process';
import { chmodSync, copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { createSecureServer } from 'node:http2';
import { delimiter, dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { services, settings, targets } from '../../scripts/deployments/table.mjs';
import { imageEnvironment } from './dockerfile.mjs';
import { folder, freePorts, status, until } from './program.mjs';
import { S3 } from './s3.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const file = parse(readFileSync(join(deploy, 'compose.yaml'), 'utf8'), { merge: true });
const port = (key) => Number(settings().get(key));
/** The ports on which each container listens, even if the file does not name them. */
const LISTENS = {
  ...Object.fromEntries(services().map(({ name }) => [name, [port('grpc.port'), port('ops.port')]])),
  gateway: [port('http.port'), port('ops.port'), port('ingest.port')],
  postgres: [5432], nats: [4222, 8222], redis: [6379], s3: [8888, 8333, 8334], otel: [4317, 8889], prometheus: [9090],
};

/** Returns folders with programs of Postgres, which may not be on the path. */
function postgresPrograms() {
  const versions = existsSync('/usr/lib/postgresql') ? readdirSync('/usr/lib/postgresql').toSorted((a, b) => b - a) : [];
  return versions.map((version) => `/usr/lib/postgresql/${version}/bin`).join(delimiter);
}

/**
 * Replaces `weed`. The server writes down its arguments; the test serves S3 as they say. As with the real shell, a command that
 * fails ends with success; the first try is before the server is up. The test creates the bucket from what the shell prints.
 */
const WEED = `#!/bin/sh
case $* in *server*) printf '%s\\n' "$@" >BASE/weed-server; exec sleep 3600 ;; esac
[ -e BASE/weed-is-up ] || { : >BASE/weed-is-up; echo 'error: the filer does not answer' >&2; exit 0; }
while read -r command option name; do
  case $command in
    s3.bucket.create) echo "$name" >BASE/weed-bucket; echo "$command $option $name" >&2 ;;
    s3.bucket.list) [ ! -e BASE/weed-bucket ] || printf '  %s\\tsize:0\\tchunk:0\\n' "$(cat BASE/weed-bucket)" ;;
  esac
done
`;

/**
 * Returns the path for the composition's servers. It begins with replacements of what their images contain.
 */
function path(base) {
  const bin = join(base, 'bin');
  mkdirSync(bin);
  copyFileSync(join(here, 'postgres-entrypoint.sh'), join(bin, 'docker-entrypoint.sh'));
  // Only root can give a file to another user, so leave out the owner.
  if (process.getuid() !== 0) writeFileSync(join(bin, 'install'), '#!/bin/sh\nshift 4\nexec /usr/bin/install "$@"\n', { mode: 0o755 });
  writeFileSync(join(bin, 'weed'), WEED.replaceAll('BASE', base), { mode: 0o755 });
  return [bin, process.env.PATH, postgresPrograms(), '/usr/sbin'].join(delimiter);
}

export class Composition {
  file = file;
  running = new Map();
  #up = new Map();
  #readers = new Map();

  /** Creates the secrets as deploy/secrets.sh does, and chooses ports. Starts nothing yet. */
  static async prepare(t) {
    const it = new Composition();
    it.t = t;
    it.base = folder(t);
    // Postgres runs as another user.
    chmodSync(it.base, 0o711);
    it.secrets = join(it.base, 'made');
    mkdirSync(it.secrets);
    execFileSync(join(deploy, 'secrets.sh'), [it.secrets]);
    it.path = path(it.base);
    const places = Object.entries(LISTENS).flatMap(([name, ports]) => ports.map((number) => `${name}:${number}`));
    const free = await freePorts(places.length);
    it.ports = new Map(places.map((place, at) => [place, free[at]]));
    // Kill the processes in the order in which they started, so that none remains to log that a server is
    // gone.
    t.after(() => { for (const { child } of it.running.values()) child?.kill('SIGKILL'); });
    return it;
  }

  port(name, number) {
    return this.ports.get(`${name}:${number}`);
  }

  /** Makes a secret anew, as somebody does who removes it and runs deploy/secrets.sh. */
  makeAgain(name, env = {}) {
    rmSync(join(this.secrets, name));
    execFileSync(join(deploy, 'secrets.sh'), [this.secrets], { env: { ...process.env, ...env } });
    return this.made(name);
  }

  made(name) {
    return readFileSync(join(this.secrets, name), 'utf8').trim();
  }

  /** Returns a text of the file, or of a secret, with hosts and ports that exist here. */
  #placed(text) {
    return String(text).replaceAll('$$', '$').replaceAll(/\b([a-z0-9]+):(\d{4,5})\b/g, (place, name) => {
      const found = this.ports.get(place) ?? (name === 'localhost' ? this.#published(place) : undefined);
      return found ? `localhost:${found}` : place;
    });
  }

  /** Returns the port that the file opens on this machine for a port of a container. */
  #published(place) {
    for (const [name, { ports = [] }] of Object.entries(file.services)) {
      for (const it of ports) if (it.startsWith(`127.0.0.1:${place.split(':')[1]}:`)) return this.port(name, Number(it.split(':')[2]));
    }
    return undefined;
  }

  /** Returns the folders for the paths of a container: its secrets, its volumes, and its other folders. */
  #folders(name) {
    const service = file.services[name];
    const own = join(this.base, 'of', name);
    const secrets = join(own, 'run/secrets');
    mkdirSync(secrets, { recursive: true });
    for (const secret of service.secrets ?? []) {
      const source = file.secrets[secret.source ?? secret].file.replace('secrets/', '');
      writeFileSync(join(secrets, secret.target ?? secret), this.#placed(readFileSync(join(this.secrets, source), 'utf8')), { mode: 0o444 });
    }
    const found = new Map([['/run/secrets', secrets]]);
    for (const mount of service.volumes ?? []) {
      const [from, to] = mount.split(':');
      const at = join(own, to);
      if (from.startsWith('./')) cpSync(join(deploy, from), at, { recursive: true });
      else mkdirSync(at, { recursive: true });
      found.set(to, at);
    }
    return { own, found };
  }

  /** Returns a function that replaces first the folders and then the hosts in texts of a container. */
  #reader(name) {
    if (!this.#readers.has(name)) this.#readers.set(name, this.#readerOf(name));
    return this.#readers.get(name);
  }

  #readerOf(name) {
    const { own, found } = this.#folders(name);
    const longest = [...found.keys()].toSorted((a, b) => b.length - a.length).map((it) => it.replaceAll('.', '\\.'));
    const read = (text) => this.#placed(text).replaceAll(new RegExp(`(?<![\\w.-])(?:${longest.join('|')})\\b`, 'g'), (from) => found.get(from));
    return { own, folders: found, read };
  }

  /**
   * Starts a container once the containers that it waits for are ready. Resolves when it runs, or has ended
   * if it should.
   */
  up(name) {
    if (!this.#up.has(name)) this.#up.set(name, this.#begin(name));
    return this.#up.get(name);
  }

  async #begin(name) {
    const service = file.services[name];
    await this.#dependencies(service);
    const kind = service.image.split(':')[0].split('/').at(-1);
    const start = {
      waybill: this.#waybill, postgres: this.#postgres, nats: this.#nats, redis: this.#redis, seaweedfs: this.#seaweedfs,
      'opentelemetry-collector-contrib': this.#collector, prometheus: this.#prometheus,
    }[kind];
    assert.ok(start, `the test cannot start ${service.image}`);
    await start.call(this, name, service, this.#reader(name));
  }

  async #dependencies(service) {
    await Promise.all(Object.entries(service.depends_on ?? {}).map(async ([other, { condition }]) => {
      await this.up(other);
      if (condition === 'service_completed_successfully') await this.#completed(other);
      if (condition === 'service_healthy') await this.#healthy(other);
    }));
  }

  async #completed(name) {
    const { ended, said } = this.running.get(name);
    const { code } = await ended;
    assert.equal(code, 0, `${name}: ${said()}`);
  }

  async #healthy(name) {
    const { healthcheck: { test: [kind, ...given] } } = file.services[name];
    const command = kind === 'CMD-SHELL' ? ['sh', '-c', ...given] : given;
    const env = { PATH: this.path, PGPORT: String(this.port(name, LISTENS[name][0])) };
    const here = command.map((text) => text.replace(/127\.0\.0\.1:(\d+)/g, (_, number) => `127.0.0.1:${this.port(name, number)}`));
    // What the test replaces is served by this process, so do not block it.
    const isHealthy = () => new Promise((resolve) => { execFile(here[0], here.slice(1), { env }, (error) => resolve(!error)); });
    await until(60, isHealthy, () => `${name} is not healthy: ${this.running.get(name).said()}`);
  }

  #spawn(name, [program, ...args], env) {
    const child = spawn(program, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { text = (text + piece).slice(-100_000); });
    const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
    const it = { child, ended, env, said: () => text };
    this.running.set(name, it);
    return it;
  }

  /** Starts a container of Waybill, as the image and the file say, with the ports of this machine. */
  #waybill(name, service, { own, read }) {
    const target = service.command[service.command.indexOf('--target') + 1];
    const data = join(own, 'data');
    mkdirSync(data, { recursive: true });
    const peers = services().map((row) => [`WAYBILL__PEERS__${row.name.toUpperCase()}`, `https://localhost:${this.port(row.name, port('grpc.port'))}`]);
    const [main, ops, ingest = 1] = LISTENS[target].map((number) => this.port(target, number));
    const machine = {
      PATH: '/usr/bin:/bin', WAYBILL__DATA: data, WAYBILL__HTTP__PORT: main, WAYBILL__GRPC__PORT: main, WAYBILL__OPS__PORT: ops,
      WAYBILL__OPS__HOST: '127.0.0.1', WAYBILL__INGEST__PORT: ingest, ...Object.fromEntries(peers),
    };
    const given = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, read(value)]));
    const env = Object.fromEntries(Object.entries({ ...imageEnvironment(), ...given, ...machine }).map(([key, value]) => [key, String(value)]));
    const begin = (tries) => {
      const it = this.#spawn(name, [process.env.WAYBILL_BIN, ...service.command], env);
      // The services that it calls may start later.
      it.child.on('exit', (code) => { if (code && tries > 0 && service.restart === 'unless-stopped') setTimeout(() => begin(tries - 1), 300); });
    };
    begin(5);
  }

  /**
   * Runs a container of Waybill on request, with other arguments than the file's, as `docker compose run` does. Returns
   * what it printed.
   */
  async run(name, args) {
    const service = file.services[name];
    await this.#dependencies(service);
    const { own, read } = this.#reader(name);
    const given = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, read(value)]));
    // The image has the programs of Postgres. The data folder is in a memory file system.
    const env = { PATH: this.path, ...given, WAYBILL__DATA: join(own, 'tmp') };
    return new Promise((resolve, reject) => {
      execFile(process.env.WAYBILL_BIN, args.map(read), { env, timeout: 120_000 }, (error, stdout, stderr) => {
        if (error) reject(new Error(`${name}: ${stdout}${stderr}`));
        else resolve(stdout);
      });
    });
  }

  #postgres(name, service, { own, folders, read }) {
    const run = join(own, 'socket');
    for (const it of [run, join(own, 'var/lib/postgresql'), folders.get('/var/lib/postgresql/data')]) {
      mkdirSync(it, { recursive: true });
      chmodSync(it, 0o777);
    }
    const given = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, read(value)]));
    const command = service.command.map((text) => read(text).replaceAll('/var/lib/postgresql/server.key', join(own, 'var/lib/postgresql/server.key')));
    this.#spawn(name, command, {
      PATH: this.path, ...given, WAYBILL_SECRETS: folders.get('/run/secrets'), PGDATA: folders.get('/var/lib/postgresql/data'), PGHOST: run,
      PGPORT: String(this.port(name, 5432)), INITDB: dirname(folders.get('/docker-entrypoint-initdb.d/databases.sh')),
    });
  }

  #nats(name, service, { folders, read }) {
    const conf = join(folders.get('/run/secrets'), 'nats.conf');
    const text = LISTENS.nats.reduce((so, number) => so.replace(`port: ${number}\n`, `port: ${this.port(name, number)}\n`), readFileSync(conf, 'utf8')).replace('"/data"', JSON.stringify(folders.get('/data')));
    chmodSync(conf, 0o600);
    writeFileSync(conf, text);
    this.#spawn(name, [process.env.WAYBILL_TEST_NATS_SERVER ?? 'nats-server', ...service.command.map(read), '-a', '127.0.0.1'], { PATH: this.path });
  }

  #redis(name, service, { own, read }) {
    const [shell, option, line] = service.command;
    this.#spawn(name, [shell, option, `${read(line)} --bind 127.0.0.1 --tls-port ${this.port(name, 6379)} --dir ${own}`], { PATH: this.path });
  }

  /** Runs the script of the S3 server, and serves S3 and the filer as its arguments say. */
  async #seaweedfs(name, service, { folders, read }) {
    const { said } = this.#spawn(name, service.entrypoint.map(read), { PATH: this.path, WAYBILL_SECRETS: folders.get('/run/secrets') });
    const written = join(this.base, 'weed-server');
    await until(30, () => existsSync(written) && readFileSync(written, 'utf8').includes('-s3.key.file'), () => `${name} does not start: ${said()}`);
    const options = readFileSync(written, 'utf8').split('\n');
    const option = (key) => options.find((it) => it.startsWith(`-${key}=`)).slice(key.length + 2);
    this.s3 = new S3(JSON.parse(readFileSync(option('s3.config'), 'utf8')).identities);
    await this.s3.listen(this.t, this.port(name, 8333));
    const tls = { cert: readFileSync(option('s3.cert.file')), key: readFileSync(option('s3.key.file')) };
    await this.s3.listen(this.t, this.port(name, Number(option('s3.port.https'))), tls);
    const filer = createServer((request, response) => {
      response.statusCode = this.s3.buckets.has(request.url.match(/^\/buckets\/(\w+)\/$/)?.[1]) ? 200 : 404;
      response.end();
    });
    this.t.after(() => { filer.close(); filer.closeAllConnections(); });
    await new Promise((resolve) => { filer.listen(this.port(name, 8888), '127.0.0.1', resolve); });
    const created = () => said().match(/^s3\.bucket\.create -name (\w+)$/m)?.[1];
    await until(30, created, () => `${name} creates no bucket: ${said()}`);
    this.s3.buckets.set(created(), new Map());
  }

  /** Receives the telemetry of services by TLS, and shows Prometheus the metrics of the services. */
  async #collector(name, service, { folders, read }) {
    this.senders = new Set();
    const { tls } = parse(readFileSync(folders.get('/etc/otel.yaml'), 'utf8')).receivers.otlp.protocols.grpc;
    const calls = createSecureServer({ cert: readFileSync(read(tls.cert_file)), key: readFileSync(read(tls.key_file)) });
    calls.on('stream', (stream, headers) => {
      const pieces = [];
      stream.on('data', (piece) => pieces.push(piece));
      stream.on('end', () => {
        const [sender] = Buffer.concat(pieces).toString('latin1').match(/waybill-[a-z]+/) ?? [];
        if (sender) this.senders.add(`${sender} ${headers[':path'].match(/\w+Service/)[0]}`);
        stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
        stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
        stream.end(Buffer.from([0, 0, 0, 0, 0]));
      });
    });
    const sessions = new Set();
    calls.on('session', (session) => sessions.add(session));
    const shown = createServer(async (request, response) => {
      const texts = await Promise.all(targets().map(async (target) => {
        const answer = await fetch(`http://127.0.0.1:${this.port(target.name, port('ops.port'))}/metrics`).then((it) => it.text(), () => '');
        return answer.replaceAll(/^#.*\n/gm, '').replaceAll(/^(\w+)(?:\{(.*)\})? /gm, (_, metric, labels) => `${metric}{${labels ? `${labels},` : ''}instance="${target.name}"} `);
      }));
      response.setHeader('content-type', 'text/plain');
      response.end(texts.join(''));
    });
    this.t.after(() => { shown.close(); calls.close(); for (const session of sessions) session.destroy(); });
    await new Promise((resolve) => { calls.listen(this.port(name, 4317), '127.0.0.1', resolve); });
    await new Promise((resolve) => { shown.listen(this.port(name, 8889), '127.0.0.1', resolve); });
  }

  /** Scrapes every second instead of every quarter of a minute. */
  #prometheus(name, service, { folders, read }) {
    const program = join(dirname(process.env.WAYBILL_PROMTOOL ?? ''), 'prometheus');
    if (!existsSync(program)) {
      this.t.diagnostic('prometheus is not beside promtool: it was not started');
      return;
    }
    const config = join(folders.get('/etc/prometheus'), 'prometheus.yaml');
    writeFileSync(config, this.#placed(readFileSync(config, 'utf8')).replaceAll(': 15s', ': 1s'));
    this.#spawn(name, [program, ...service.command.map(read), `--web.listen-address=127.0.0.1:${this.port(name, 9090)}`], { PATH: this.path });
  }

  /** Waits until every target reports all its dependencies as up. */
  async ready() {
    for (const { name } of targets()) {
      const url = `http://127.0.0.1:${this.port(name, port('ops.port'))}/readyz`;
      const isReady = async () => (await status(url)) === 200 && Object.values((await (await fetch(url)).json()).dependencies).every(Boolean);
      await until(60, isReady, () => `${name} is not ready: ${this.running.get(name)?.said()}`);
    }
  }

  /** Stops Waybill's processes together, as the container engine does. Returns how each ended. */
  async down() {
    const all = targets().map(({ name }) => [name, this.running.get(name)]);
    for (const [, { child }] of all) child.kill('SIGTERM');
    const grace = Number(file['x-waybill'].stop_grace_period.replace('s', '')) * 1000;
    return Object.fromEntries(await Promise.all(all.map(async ([name, { ended }]) =>
      [name, (await Promise.race([ended, sleep(grace, { code: 'killed' }, { ref: false })])).code])));
  }
}
