// Runs probe scripts that are kept outside of this project against a fresh product, with the
// packages of this folder:
//
//   npm run probes -- DIR
//
// DIR holds dbauth_probe.mjs, gql_probe.mjs, router_check.mjs and cube_probe.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { startProduct } from './product.mjs';

const [given] = process.argv.slice(2);
if (!given) throw new Error('usage: npm run probes -- DIR');
const folder = resolve(given);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Runs one script to its end and prints its output. Returns the lines. */
async function probe(name, args) {
  const script = join(folder, name);
  if (!existsSync(script)) throw new Error(`${name} is not in ${folder}`);
  process.stdout.write(`\n${name}\n`);
  // The scripts look for packages in the folder in which they are started. The charts of the Cube client use
  // the time zone of the process.
  const env = { ...process.env, TZ: 'UTC' };
  const child = spawn(process.execPath, [script, ...args], { cwd: here, env, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    process.stdout.write(part);
    text += part;
  });
  const [code] = await once(child, 'close');
  return { code, lines: text.split('\n') };
}

/** Returns the ids of the checks that failed. */
function judge({ code, lines }) {
  const failed = lines.filter((line) => line.startsWith('FAIL ')).map((line) => line.split(' ')[1]);
  // A script that crashed reports no check, but counts as failed all the same.
  if (code !== 0 && failed.length === 0) failed.push('ended without a result');
  return failed;
}

/** Signs in and returns the token for analytics. */
async function signIn() {
  const { username, password } = account;
  const login = await fetch(`${product.url}/auth`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ method: 'login', username, password }),
  });
  const cookie = login.headers.getSetCookie().map((it) => it.split(';')[0]).join('; ');
  return (await fetch(`${product.url}/auth?method=getToken`, { headers: { cookie } })).text();
}

/** Waits until analytics has read the demo data. */
async function filled(token) {
  const query = JSON.stringify({ measures: ['Delivery.count'] });
  const address = `${product.url}/cubejs-api/v1/load?${new URLSearchParams({ query })}`;
  for (let left = 300; left > 0; left -= 1) {
    const answer = await (await fetch(address, { headers: { authorization: token } })).json();
    if (answer.data?.[0]['Delivery.count'] === DELIVERIES) return;
    await delay(200);
  }
  throw new Error('analytics did not read the demo data');
}

const DELIVERIES = '400';
const account = { username: 'probe-admin', email: 'probe@example.ph', password: 'molave-77-habagat' };
const work = await mkdtemp(join(tmpdir(), 'waybill-probes-'));
const product = await startProduct({ first: [['seed', '--deliveries', DELIVERIES]] });
let failed;
try {
  const query = 'mutation First($input: CreateAdminInput!) { createAdmin(input: $input) { id } }';
  await fetch(`${product.url}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query, variables: { input: account } }),
  });
  const who = [product.url, '--user', account.username, '--pass', account.password];
  const operations = ['--guarded', join(here, 'ops/guarded.json'), '--invalid', join(here, 'ops/invalid.json')];
  const helper = join(work, 'paths.mjs');
  await build({
    entryPoints: [join(here, '../frontend/src/routing/paths.ts')],
    outfile: helper,
    bundle: true,
    format: 'esm',
    platform: 'neutral',
    logLevel: 'warning',
  });
  await filled(await signIn());
  // Days on which the demo data has deliveries.
  const [from, to] = [9, 2].map((ago) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10));
  const socket = `${product.url.replace(/^http/, 'ws')}/cubejs-api/v1`;
  failed = [
    ...judge(await probe('dbauth_probe.mjs', who)),
    ...judge(await probe('gql_probe.mjs', [...who, ...operations])),
    ...judge(await probe('router_check.mjs', [helper])),
    ...judge(
      await probe('cube_probe.mjs', [
        product.url,
        await signIn(),
        ...['--from', from, '--to', to, '--ws', socket, '--product'],
      ]),
    ),
  ];
} finally {
  await product.stop();
  await rm(work, { recursive: true, force: true });
}
process.stdout.write(failed.length > 0 ? `\nfailed: ${failed.join(', ')}\n` : '\neverything passed\n');
process.exitCode = failed.length > 0 ? 1 : 0;
