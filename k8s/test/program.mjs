// Runs containers of the manifests as processes of this machine, as a kubelet would: with their arguments, their
// environment and their secrets. What is of the machine differs: folders, ports, addresses of servers.
import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import { SECRETS } from '../../scripts/deployments/kubernetes.mjs';
import { environment } from './manifests.mjs';

const program = process.env.WAYBILL_BIN;
if (!program) throw new Error('WAYBILL_BIN names the program; scripts/test-k8s.sh sets it');
const run = promisify(execFile);

/** A folder for the time of a test. */
export function folder(t) {
  const path = mkdtempSync(join(tmpdir(), 'waybill-k8s.'));
  t.after(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** Writes the secrets of a pod where `environmentOf` says they are. */
export function writeSecrets(path, secrets) {
  mkdirSync(path, { recursive: true });
  for (const [name, text] of Object.entries(secrets)) writeFileSync(join(path, name), `${text}\n`);
}

/** The environment of a container, with its secrets in a folder of this machine, and without anything of the caller's. */
export function environmentOf(objects, container, secrets, more = {}) {
  const given = [...environment(objects, container)].map(([name, value]) => [name, value.replace(SECRETS, secrets)]);
  return { PATH: process.env.PATH, TMPDIR: tmpdir(), ...Object.fromEntries(given), ...more };
}

/** What the program says to this configuration; null when it has nothing against it. */
export async function checked(target, env) {
  try {
    await run(program, ['config', 'check', '--target', target], { env });
    return null;
  } catch (error) {
    return error.stderr || String(error);
  }
}

/** Runs a container to its end. */
export async function finished(container, env) {
  try {
    await run(program, container.args, { env, timeout: 60_000 });
    return { code: 0, text: '' };
  } catch (error) {
    return { code: error.code, text: error.stdout + error.stderr };
  }
}

/** A process that goes on, ended with the test at the latest. */
export function started(t, container, env) {
  const child = spawn(program, container.args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { text = (text + piece).slice(-8000); });
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
  t.after(() => child.kill('SIGKILL'));
  return { child, ended, said: () => text };
}

/** Whether nobody listens on a port. */
function isFree(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}

// Below those that a system gives to connections that go out, and from a place that other runs hardly begin at.
let next = 12_000 + ((process.pid * 97) % 8000);

/** Ports that nobody listens on, none of them given before. */
export async function freePorts(count) {
  const found = [];
  while (found.length < count) {
    // Others ask while this waits.
    const port = next++;
    if (port > 30_000) throw new Error('there are no more ports for tests');
    if (await isFree(port)) found.push(port);
  }
  return found;
}

/** Whether somebody accepts connections. */
export function accepts(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => { socket.destroy(); resolve(true); });
    socket.on('error', () => resolve(false));
  });
}

/** Waits until something is true, so many seconds at most. */
export async function until(seconds, isTrue, otherwise) {
  const end = Date.now() + seconds * 1000;
  while (!(await isTrue())) {
    if (Date.now() > end) throw new Error(otherwise);
    await sleep(50);
  }
}

/** The status of an address, 0 when nobody answers. */
export async function status(url) {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(3000) })).status;
  } catch {
    return 0;
  }
}

/** Probes as the kubelet does until it succeeds, no longer than the manifest allows. */
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
