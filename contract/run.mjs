// Starts the product, holds the published client packages against it, and ends it.
//
//   npm ci --ignore-scripts && npm test             all of them
//   npm test -- sessions                            those whose name contains the word
//
// WAYBILL_BIN names the program; by default the one cargo builds.
import { mkdir, writeFile } from 'node:fs/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { startProduct } from './product.mjs';

// In this order: the first looks at the product while it has no account.
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

/** Where the time of each test is written, for the table at the end of the test command. */
const RESULTS = new URL('results/', import.meta.url);

const wanted = process.argv.slice(2);
const files = FILES.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (files.length === 0) throw new Error(`there are only: ${FILES.join(', ')}`);

// The receiver of webhooks is on this machine.
const product = await startProduct({ env: { WAYBILL__DELIVERIES__PRIVATE_ENDPOINTS: 'true' } });
process.env.WAYBILL_URL = product.url;
process.env.WAYBILL_DATA = product.data;
let failed = false;
try {
  const paths = files.map((name) => fileURLToPath(new URL(`tests/${name}.test.mjs`, import.meta.url)));
  // One at a time: the client packages keep their state in globals, and the tests share a product.
  // Random bodies in great numbers take as long as they take.
  const timeout = process.env.WAYBILL_FUZZ ? Infinity : 120_000;
  const stream = run({ files: paths, concurrency: 1, timeout });
  stream.on('test:fail', () => {
    failed = true;
  });
  const times = [];
  stream.on('test:pass', ({ name, file, details }) => {
    // A suite takes as long as its tests together.
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
