// Starts the product, runs the tests of the published client packages against it, and ends it.
//
//   npm ci --ignore-scripts && npm test             all tests
//   npm test -- sessions                            only files whose name contains the word
//
// WAYBILL_BIN names the program; the default is the one that cargo builds.
import { mkdir, writeFile } from 'node:fs/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProduct } from './product.mjs';

// The order matters: the first file tests the product while it has no account.
const FILES = [
  'first-account',
  'auth',
  'auth-provider',
  'sessions',
  'graphql',
  'graphql-errors',
  'settings',
  'cross-origin',
  'sign-up',
  'password-reset',
  'driver-document',
  'driver-properties',
  'webhooks',
  'intake',
  'analytics',
];

/** The file for the duration of each test, which the test command prints at the end. */
const RESULTS = new URL('results/', import.meta.url);

const wanted = process.argv.slice(2);
const files = FILES.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (files.length === 0) throw new Error(`there are only: ${FILES.join(', ')}`);

// The webhooks' receiver is on this machine.
const product = await startProduct({ env: { WAYBILL__DELIVERIES__PRIVATE_ENDPOINTS: 'true' } });
process.env.WAYBILL_URL = product.url;
process.env.WAYBILL_DATA = product.data;
let failed = false;
try {
  const paths = files.map((name) => fileURLToPath(new URL(`tests/${name}.test.mjs`, import.meta.url)));
  // Files run one at a time, because the client packages keep their state in globals and the tests share a
  // product. If WAYBILL_FUZZ asks for many random bodies, there is no time limit.
  const timeout = process.env.WAYBILL_FUZZ ? Infinity : 120_000;
  const stream = run({ files: paths, concurrency: 1, timeout });
  stream.on('test:fail', () => {
    failed = true;
  });
  const times = [];
  stream.on('test:pass', ({ name, file, details }) => {
    // The duration of a suite is that of its tests.
    if (details.type === 'suite') return;
    times.push({ test: `${basename(file, '.test.mjs')} › ${name}`, seconds: details.duration_ms / 1000 });
  });
  const report = stream.compose(spec);
  report.pipe(process.stdout);
  await new Promise((done, broken) => report.on('end', done).on('error', broken));
  await mkdir(RESULTS, { recursive: true });
  await writeFile(new URL('contract.json', RESULTS), JSON.stringify(times));
  if (failed) process.stdout.write(`\nthe product's last lines:\n${(await product.readLog()).slice(-4000)}\n`);
} finally {
  const code = await product.stop();
  if (code !== 0) {
    failed = true;
    process.stdout.write(`\nthe product ended with ${code} when it was asked to stop\n`);
  }
}
process.exitCode = failed ? 1 : 0;
