// Lists the third-party parts of the program: crates, packages of the browser application, fonts and map
// data. A part is { kind, name, version, licence, url, hash: { alg, content }, texts: [text], hasOwn,
// holder }. `hasOwn` says that one of the texts comes with the part. Otherwise `holder` is the copyright
// holder for the text of the license.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { read, root } from '../sources.mjs';

/** The targets for which the image is built. */
const TARGETS = ['x86_64-unknown-linux-gnu', 'aarch64-unknown-linux-gnu'];
const LICENCE_FILE = /^(?:un)?licen[cs]es?(?![a-z])|^(?:copying|notice|copyright)(?![a-z])/i;
/**
 * Folders that do not end up in the program, such as the tests of a part, or the SQLCipher that
 * libsqlite3-sys contains besides SQLite.
 */
const LEFT_OUT = new Set(['node_modules', 'tests', 'test', 'benches', 'examples', 'sqlcipher', '.git']);

/**
 * Parts whose package has no license file, each with the copyright holder for the text of the license. A part
 * that is not listed here and has no file is an error, so that somebody looks at it.
 */
const WITHOUT_FILE = new Map(Object.entries({
  'async-nats': ['Apache-2.0', 'The NATS Authors'],
  'crc-catalog': ['MIT', 'Akhil Velagapudi'],
  krilla: ['MIT', 'Laurenz Stampfl'],
  opentelemetry: ['Apache-2.0', 'The OpenTelemetry Authors'],
  'opentelemetry-http': ['Apache-2.0', 'The OpenTelemetry Authors'],
  'opentelemetry-otlp': ['Apache-2.0', 'The OpenTelemetry Authors'],
  'opentelemetry-prometheus': ['Apache-2.0', 'The OpenTelemetry Authors'],
  'opentelemetry-proto': ['Apache-2.0', 'The OpenTelemetry Authors'],
  opentelemetry_sdk: ['Apache-2.0', 'The OpenTelemetry Authors'],
  pear: ['MIT', 'Sergio Benitez'],
  qrcodegen: ['MIT', 'Project Nayuki'],
  'sea-orm-migration': ['MIT', 'Billy Chan'],
  'sea-query-sqlx': ['MIT', 'Valentin Tolmer, Ivan Krivosheev'],
  'tonic-prost': ['MIT', 'gRPC authors'],
  '@mapbox/jsonlint-lines-primitives': ['MIT', 'Zach Carter'],
  'murmurhash-js': ['MIT', 'Gary Court'],
  pmtiles: ['BSD-3-Clause', 'Protomaps LLC'],
  'react-remove-scroll-bar': ['MIT', 'Anton Korzunov'],
  SQLite: [undefined, 'the public domain: "May you do good and not evil. May you find forgiveness for yourself and forgive others. May you share freely, never taking more than you give."'],
  'Natural Earth': [undefined, 'the public domain. Made with Natural Earth.'],
  'Rust standard library': ['MIT', 'The Rust Project contributors'],
}));

/** Returns the license texts of a part: first its own, then those of code that it contains. */
function licencesIn(folder) {
  const found = { texts: [], hasOwn: false };
  const look = (path, isTop) => {
    const entries = existsSync(path) ? readdirSync(path, { withFileTypes: true }) : [];
    const names = (kind) => entries.filter((it) => it.isDirectory() === kind).map((it) => it.name).toSorted();
    for (const name of names(false)) {
      if (!LICENCE_FILE.test(name) || /\.(?:rs|m?js|ts|json|html|png)$/.test(name)) continue;
      found.texts.push(readFileSync(join(path, name), 'utf8'));
      found.hasOwn ||= isTop;
    }
    for (const name of names(true)) if (!LEFT_OUT.has(name)) look(join(path, name), isTop && LICENCE_FILE.test(name));
  };
  look(folder, true);
  return found;
}

function cargo(...args) {
  // Remove variables that compile the workspace with other features, because the list needs those of the
  // program.
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^CARGO_(?:UNSTABLE|RESOLVER)/.test(name)));
  const options = { cwd: root, env, encoding: 'utf8', maxBuffer: 1 << 28 };
  try {
    return execFileSync('cargo', [...args, '--locked', '--offline'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return execFileSync('cargo', [...args, '--locked'], { ...options, stdio: ['ignore', 'pipe', 'inherit'] });
  }
}

/** Returns the crates that are linked into the program, without those that only run while compiling. */
function crates() {
  const tree = cargo('tree', '--package', 'waybill', '--edges', 'normal,no-proc-macro', '--prefix', 'none', '--no-dedupe',
    '--format', '{p}', ...TARGETS.flatMap((it) => ['--target', it]));
  const linked = new Set(tree.split('\n').map((line) => line.split(' ').slice(0, 2).join(' ')));
  const { packages } = JSON.parse(cargo('metadata', '--format-version', '1', ...TARGETS.flatMap((it) => ['--filter-platform', it])));
  const sums = new Map([...read('Cargo.lock').matchAll(/name = "(.+)"\nversion = "(.+)"\nsource = .+\nchecksum = "(.+)"/g)]
    .map(([, name, version, sum]) => [`${name} v${version}`, sum]));
  return packages.filter((it) => it.source && linked.has(`${it.name} v${it.version}`)).map(({ name, version, license, repository, manifest_path: manifest }) => ({
    kind: 'crate', name, version, licence: license, url: repository,
    hash: { alg: 'SHA-256', content: sums.get(`${name} v${version}`) },
    ...licencesIn(dirname(manifest)),
  }));
}

/** Returns the packages that the browser application is built from, without tools. */
function packages() {
  const lock = JSON.parse(read('frontend/package-lock.json')).packages;
  const found = new Map();
  for (const [path, { version, license, integrity, dev }] of Object.entries(lock)) {
    if (!path || dev) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 13);
    const [, content] = integrity.match(/^sha512-(.+)$/);
    found.set(`${name} ${version}`, {
      kind: 'package', name, version, licence: license ?? WITHOUT_FILE.get(name)?.[0], url: undefined,
      hash: { alg: 'SHA-512', content: Buffer.from(content, 'base64').toString('hex') },
      ...licencesIn(join(root, 'frontend', path)),
    });
  }
  return [...found.values()];
}

/** Returns the parts that are neither crates nor packages. */
function others() {
  const world = JSON.parse(read('frontend/package-lock.json')).packages['node_modules/world-atlas'];
  return [
    { kind: 'font', name: 'Inter', version: '4', licence: 'OFL-1.1', url: 'https://rsms.me/inter', texts: [read('services/deliveries/assets/OFL.txt')], hasOwn: true },
    { kind: 'data', name: 'Natural Earth', version: '4.1', licence: 'LicenseRef-public-domain', url: 'https://www.naturalearthdata.com', texts: [], hasOwn: false },
    { kind: 'data', name: 'world-atlas', version: world.version, licence: world.license, url: 'https://github.com/topojson/world-atlas', ...licencesIn(join(root, 'frontend/node_modules/world-atlas')) },
    { kind: 'library', name: 'SQLite', version: 'bundled', licence: 'blessing', url: 'https://sqlite.org', texts: [], hasOwn: false },
    { kind: 'library', name: 'Rust standard library', version: 'of the compiler', licence: 'MIT OR Apache-2.0', url: 'https://github.com/rust-lang/rust', texts: [], hasOwn: false },
  ];
}

const order = ({ kind, name, version }) => `${['crate', 'package', 'font', 'data', 'library'].indexOf(kind)} ${name} ${version}`;

/** Returns every part, grouped by kind. */
export function parts() {
  const all = [...crates(), ...packages(), ...others()].map((part) => {
    const [licence, holder] = (!part.hasOwn && WITHOUT_FILE.get(part.name)) || [];
    return { ...part, holder: holder && { licence, holder } };
  });
  return all.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
}
