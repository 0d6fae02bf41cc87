// Runs containers of the manifests as processes of this machine, as a kubelet would: with their arguments,
// environment and secrets. Only folders, ports and addresses of servers differ.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { leak, note } from '../../contract/secrets.mjs';
import { SECRETS } from '../../scripts/deployments/kubernetes.mjs';
import { environment } from './manifests.mjs';

const program = process.env.WAYBILL_BIN;
if (!program) throw new Error('WAYBILL_BIN names the program; scripts/test-k8s.sh sets it');
const run = promisify(execFile);

/** Returns a folder that is removed at the end of the test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'waybill-k8s.'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/**
 * The setting that accepts a Postgres that can lose data. scripts/services.sh sets it for the Postgres that it
 * starts.
 */
export const DURABILITY = Object.fromEntries(Object.entries(process.env).filter(([name]) => name === 'WAYBILL__DATABASE__REQUIRE_DURABLE'));

/** Writes the secrets of a pod to the files that `environmentOf` names. No process may write them to its log. */
export function writeSecrets(path, secrets) {
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(secrets)) {
    writeFileSync(join(path, name), `${text}\n`);
    // Neither certificates nor names of accounts are secret.
    if (!/\.(pem|crt)$|access_key$/.test(name)) note(secretPart(text));
  }
}

/** Returns the password of an address, or the first line of a key, or the whole secret. */
function secretPart(text) {
  if (text.includes('://')) return /:\/\/[^/@]*:([^/@]+)@/.exec(text)?.[1] ?? '';
  return text.split('\n').find((line) => !line.startsWith('-----')) ?? '';
}

/**
 * Returns the environment of a container, with its secrets in a folder of this machine, and without the
 * caller's variables.
 */
export function environmentOf(objects, container, secrets, more = {}) {
  const given = [...environment(objects, container)].map(([name, value]) => [name, value.replace(SECRETS, secrets)]);
  return { PATH: process.env.PATH, TMPDIR: tmpdir(), ...Object.fromEntries(given), ...more };
}

/** Returns what the program reports about this configuration, or null if it accepts it. */
export async function checked(target, env) {
  try {
    await run(program, ['config', 'check', '--target', target], { env });
    return null;
  } catch (error) {
    return error.stderr || String(error);
  }
}

/** Runs a container until it ends. `release` is the program of its image. */
export async function finished(container, env, release = program) {
  try {
    await run(release, container.args, { env, timeout: 60_000 });
    return { code: 0, text: '' };
  } catch (error) {
    return { code: error.code, text: error.stdout + error.stderr };
  }
}

const leaks = [];
// An error in a hook would keep the hooks after it from ending their processes.
process.on('exit', () => {
  if (leaks.length === 0) return;
  console.error(`a process wrote a secret:\n${leaks.join('\n')}`);
  process.exitCode = 1;
});

/** Starts a process, which is ended with the test at the latest. The run fails if the process wrote a secret. */
export function started(t, container, env, release = program) {
  const child = spawn(release, container.args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let leaked;
  const read = (piece) => {
    text += piece;
    leaked ??= leak(text);
    text = text.slice(-8000);
  };
  for (const stream of [child.stdout, child.stderr]) stream.on('data', read);
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
  t.after(() => {
    child.kill('SIGKILL');
    if (leaked !== undefined) leaks.push(leaked);
  });
  return { child, ended, said: () => text };
}

/** Whether nothing listens on a port. */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

// Start below the ports that a system uses for outgoing connections, at a number that other runs are unlikely
// to use.
let next = Number(process.env.WAYBILL_K8S_PORTS ?? 12_000 + ((process.pid * 97) % 8000));

/** Returns free ports that were not returned before. */
export async function freePorts(count) {
  const found = [];
  while (found.length < count) {
    // Other callers may ask for ports while this one waits.
    const port = next++;
    if (port > 30_000) throw new Error('there are no more ports for tests');
    if (await isFree(port)) found.push(port);
  }
  return found;
}

/** Whether a server accepts connections on a port. */
export function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => { socket.destroy(); resolve(true); });
    socket.on('error', () => resolve(false));
  });
}

/**
 * Waits until something is true, at most this many seconds. `otherwise` is the error text, or a function that
 * returns it.
 */
export async function until(seconds, isTrue, otherwise) {
  const end = Date.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(typeof otherwise === 'function' ? otherwise() : otherwise);
    await sleep(50);
  }
}

/** Returns the status of an address, or 0 if nothing responds. */
export async function status(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3000) })).status;
  } catch {
    return 0;
  }
}

/** Probes as the kubelet does until a probe succeeds, at most as long as the manifest allows. */
export async function succeeds(probe, port, limit, process) {
  const until = Date.now() + limit * 1000;
  const url = `http://127.0.0.1:${port}${probe.httpGet.path}`;
  while (Date.now() < until) {
    if (process.child.exitCode !== null) throw new Error(`it ended: ${process.said()}`);
    if (await status(url) === 200) return;
    await sleep(200);
  }
  throw new Error(`${url} did not succeed within ${limit} s: ${process.said()}`);
}
