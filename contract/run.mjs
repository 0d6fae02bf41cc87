// Starts the product, runs the tests of the published client packages against it, and ends it.
//
//   npm ci --ignore-scripts && npm test             all tests
//   npm test -- sessions                            only files whose name contains the word
//
// WAYBILL_BIN names the program; the default is the one that cargo builds.
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { basename, join } from 'node:path';
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
  'secrets',
];

/** The file for the duration of each test, which the test command prints at the end. */
const RESULTS = new URL('results/', import.meta.url);

const wanted = process.argv.slice(2);
const files = FILES.filter((name) => wanted.length === 0 || wanted.some((word) => name.includes(word)));
if (files.length === 0) throw new Error(`there are only: ${FILES.join(', ')}`);

// Each file is a process of its own, and notes here the secrets that it sends.
const notes = await mkdtemp(join(tmpdir(), 'waybill-notes-'));
process.env.WAYBILL_NOTES = join(notes, 'secrets');
await writeFile(process.env.WAYBILL_NOTES, '');
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
  const problem = await product.stop().then(
    (code) => code !== 0 && `the product ended with ${code} when it was asked to stop`,
    String,
  );
  if (problem) {
    failed = true;
    process.stdout.write(`\n${problem}\n`);
  }
  await rm(notes, { recursive: true, force: true });
}
process.exitCode = failed ? 1 : 0;
