// Starts a private `waybill` for one run: on free ports, with a temporary data folder, ended by its process
// id. It is plain Node without packages, so that the end-to-end tests can use it as well.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setTimeout as delay } from 'node:timers/promises';
import { leak } from './secrets.mjs';

const DEFAULT_BINARY = fileURLToPath(new URL('../target/debug/waybill', import.meta.url));
const READY_WITHIN = 60_000;
const STOPPED_WITHIN = 20_000;
// How many times to try, because another process may take a free port before the product uses it.
const ATTEMPTS = 3;

/**
 * Returns the program to test: the one that WAYBILL_BIN names, or else the one that cargo builds by default.
 */
export function binary() {
  const path = process.env.WAYBILL_BIN ? resolve(process.env.WAYBILL_BIN) : DEFAULT_BINARY;
  if (!existsSync(path)) {
    throw new Error(`there is no program at ${path}; build it with \`cargo build -p waybill\` or set WAYBILL_BIN`);
  }
  return path;
}

/**
 * A running product.
 *
 * @typedef {object} Product
 * @property {string} url Without a slash at the end.
 * @property {string} ingest Where devices send positions.
 * @property {string} data Its data folder.
 * @property {number | undefined} pid
 * @property {() => Promise<string>} readLog
 * @property {() => Promise<number | null>} stop Resolves to its exit code, 0 if it ended as it should. Fails if a
 *   secret is in its log or in its metrics.
 */

/**
 * Starts the product and waits until it is ready.
 *
 * @param {object} [options]
 * @param {Record<string, string>} [options.env] Settings that differ from the defaults. `{url}` stands for the
 *   product's own address.
 * @param {string[][]} [options.first] Commands to run on its data beforehand, e.g. `[['seed']]`.
 * @returns {Promise<Product>}
 */
export async function startProduct({ env = {}, first = [] } = {}) {
  const program = binary();
  for (let attempt = 1; ; attempt += 1) {
    const folder = await mkdtemp(join(tmpdir(), 'waybill-test-'));
    try {
      return await start(program, folder, env, first);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      const taken = error instanceof Error && /in use/i.test(error.message);
      if (!taken || attempt === ATTEMPTS) throw error;
    }
  }
}

/**
 * @param {string} program
 * @param {string} folder
 * @param {Record<string, string>} env
 * @param {string[][]} first
 * @returns {Promise<Product>}
 */
async function start(program, folder, env, first) {
  const [http, ops, grpc, ingest] = await freePorts(4);
  const data = join(folder, 'data');
  const logFile = join(folder, 'log');
  // Colors would make the log in a report difficult to read.
  const ports = {
    WAYBILL__OPS__PORT: String(ops),
    WAYBILL__GRPC__PORT: String(grpc),
    WAYBILL__INGEST__PORT: String(ingest),
  };
  const own = Object.entries(env).map(([name, value]) => [name, value.replace('{url}', `http://127.0.0.1:${http}`)]);
  const settings = { ...process.env, NO_COLOR: '1', ...ports, ...Object.fromEntries(own) };
  for (const command of first) {
    const helper = spawn(program, ['--data', data, ...command], { env: settings, stdio: 'ignore' });
    const [code] = await once(helper, 'exit');
    if (code !== 0) throw new Error(`\`waybill ${command.join(' ')}\` ended with ${code}`);
  }
  const child = spawn(program, ['--data', data, '--listen', `127.0.0.1:${http}`], {
    env: settings,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const log = createWriteStream(logFile);
  child.stdout.pipe(log, { end: false });
  child.stderr.pipe(log, { end: false });
  const exited = once(child, 'exit');
  const closed = once(child, 'close');
  const readLog = () => readFile(logFile, 'utf8').catch(() => '');

  const stop = async () => {
    let metrics = '';
    if (child.exitCode === null && child.signalCode === null) {
      metrics = await textOf(`http://127.0.0.1:${ops}/metrics`);
      child.kill('SIGTERM');
      const inTime = await Promise.race([exited.then(() => true), delay(STOPPED_WITHIN, false, { ref: false })]);
      if (!inTime) {
        child.kill('SIGKILL');
        await exited;
      }
    }
    await closed;
    await new Promise((done) => { log.end(done); });
    const line = leak(`${metrics}\n${await readLog()}`);
    await rm(folder, { recursive: true, force: true });
    if (line !== undefined) throw new Error(`the product wrote a secret: ${line}`);
    return child.exitCode;
  };

  const deadline = Date.now() + READY_WITHIN;
  while (!(await answersOk(`http://127.0.0.1:${ops}/readyz`))) {
    if (child.exitCode !== null || child.signalCode !== null || Date.now() > deadline) {
      const text = await readLog();
      await stop();
      throw new Error(`the product did not become ready:\n${text.slice(-4000)}`);
    }
    await delay(50);
  }
  const at = (/** @type {number} */ port) => `http://127.0.0.1:${port}`;
  return { url: at(http), ingest: at(ingest), data, pid: child.pid, readLog, stop };
}

/** @param {string} url */
async function textOf(url) {
  try {
    return await (await fetch(url)).text();
  } catch {
    return '';
  }
}

/** @param {string} url */
async function answersOk(url) {
  try {
    return (await fetch(url)).ok;
  } catch {
    return false;
  }
}

/**
 * Returns free ports. All of them are held open at once, so no two are the same.
 *
 * @param {number} count
 */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer());
  for (const server of servers) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  const ports = servers.map((server) => /** @type {import('node:net').AddressInfo} */ (server.address()).port);
  for (const server of servers) {
    server.close();
    await once(server, 'close');
  }
  return ports;
}
