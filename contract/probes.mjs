// Runs probe scripts that are kept outside of this project against a fresh product, with the
// packages of this folder:
//
//   npm run probes -- DIR
//
// DIR holds dbauth_probe.mjs, gql_probe.mjs and router_check.mjs.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { startProduct } from './product.mjs';

const [given] = process.argv.slice(2);
if (!given) throw new Error('usage: npm run probes -- DIR');
const folder = resolve(given);
const here = fileURLToPath(new URL('.', import.meta.url));

/** Runs one script to its end, shows what it says, and answers its lines. */
async function probe(name, args) {
  const script = join(folder, name);
  if (!existsSync(script)) throw new Error(`${name} is not in ${folder}`);
  process.stdout.write(`\n${name}\n`);
  // The probes look for packages in the folder they are started in.
  const child = spawn(process.execPath, [script, ...args], { cwd: here, stdio: ['ignore', 'pipe', 'inherit'] });
  let text = '';
  child.stdout.setEncoding('utf8').on('data', (part) => {
    process.stdout.write(part);
    text += part;
  });
  const [code] = await once(child, 'close');
  return { code, lines: text.split('\n') };
}

/** Ids of the checks that failed. */
function judge({ code, lines }) {
  const failed = lines.filter((line) => line.startsWith('FAIL ')).map((line) => line.split(' ')[1]);
  // A script that broke says nothing and fails all the same.
  if (code !== 0 && failed.length === 0) failed.push('ended without a result');
  return failed;
}

const account = { username: 'probe-admin', email: 'probe@example.ph', password: 'molave-77-habagat' };
const work = await mkdtemp(join(tmpdir(), 'waybill-probes-'));
const product = await startProduct();
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
  failed = [
    ...judge(await probe('dbauth_probe.mjs', who)),
    ...judge(await probe('gql_probe.mjs', [...who, ...operations])),
    ...judge(await probe('router_check.mjs', [helper])),
  ];
} finally {
  await product.stop();
  await rm(work, { recursive: true, force: true });
}
process.stdout.write(failed.length > 0 ? `\nfailed: ${failed.join(', ')}\n` : '\neverything passed\n');
process.exitCode = failed.length > 0 ? 1 : 0;
