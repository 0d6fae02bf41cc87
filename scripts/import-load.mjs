// Measures how long the check and the import of a file take in one process, and how much memory.
//   node scripts/import-load.mjs [csv|xlsx] [lines]
// WAYBILL_BIN names another program. With IMPORT_POSTGRES, the address of a Postgres server, the databases are made
// there and dropped at the end; without it, they are SQLite files.
//
// Fails above the limit of memory. Only anonymous memory counts. Pages of the database files are a cache of the
// system, which frees them when it needs memory; they are shown next to it.
import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32, deflateRawSync } from 'node:zlib';

const LIMIT = 64;
const SERVICES = ['auth', 'deliveries', 'drivers', 'settings', 'upload', 'analytics'];
const PASSWORD = 'correct horse battery staple';
const HEADER = ['Delivery Doc', 'Shipment no.', 'Customer Name', 'Dispatch Date and Time', 'Item Number', 'SKU', 'Description', 'Quantity', 'Instructions'];

const [format = 'csv', lines = '200000'] = process.argv.slice(2);
if (!['csv', 'xlsx'].includes(format) || !/^[1-9]\d*$/.test(lines)) {
  console.error('usage: node scripts/import-load.mjs [csv|xlsx] [lines]');
  process.exit(1);
}
const program = process.env.WAYBILL_BIN ?? 'target/release/waybill';
const folder = mkdtempSync(join(tmpdir(), 'waybill-load-'));

/** Yields deliveries of one to seven lines, so that no two batches are alike. */
function* rows() {
  let [delivery, line, length] = [0, 0, 1];
  for (let at = 0; at < Number(lines); at += 1) {
    yield [
      `D-${delivery}`, `S-${Math.floor(delivery / 8)}`, `Customer ${delivery % 5000}`, '2030-03-04 08:30',
      String((line += 1)), `SKU-${at % 9000}`, `Article number ${at} of the catalogue`, String((at % 90) + 0.5), `Gate ${delivery % 7}, ask for ${delivery}`,
    ];
    if (line < length) continue;
    delivery += 1;
    [line, length] = [0, ((delivery * 2654435761) % 7) + 1];
  }
}

function csv() {
  const parts = [`${HEADER.join(',')}\n`];
  for (const row of rows()) parts.push(`${row.map((cell) => (cell.includes(',') ? `"${cell}"` : cell)).join(',')}\n`);
  return Buffer.from(parts.join(''));
}

/** Returns a workbook as spreadsheet programs write it: each text once, in a separate part. */
function xlsx() {
  const texts = new Map();
  const of = (text) => texts.get(text) ?? (texts.set(text, texts.size), texts.size - 1);
  const sheet = ['<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData>'];
  let at = 0;
  const put = (row) => sheet.push(`<row r="${(at += 1)}">${row.map((cell) => `<c t="s"><v>${of(cell)}</v></c>`).join('')}</row>`);
  put(HEADER);
  for (const row of rows()) put(row);
  sheet.push('</sheetData></worksheet>');
  const type = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships';
  const links = (...all) => `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${all.map(([id, kind, target]) => `<Relationship Id="${id}" Type="${type}/${kind}" Target="${target}"/>`).join('')}</Relationships>`;
  return zip({
    '[Content_Types].xml': '<Types/>',
    '_rels/.rels': links(['r', 'officeDocument', 'xl/workbook.xml']),
    'xl/_rels/workbook.xml.rels': links(['s', 'worksheet', 'worksheets/sheet1.xml'], ['t', 'sharedStrings', 'sharedStrings.xml']),
    'xl/workbook.xml': `<workbook xmlns:r="${type}"><sheets><sheet name="A" sheetId="1" r:id="s"/></sheets></workbook>`,
    'xl/sharedStrings.xml': `<sst count="${texts.size}" uniqueCount="${texts.size}">${[...texts.keys()].map((text) => `<si><t>${text}</t></si>`).join('')}</sst>`,
    'xl/worksheets/sheet1.xml': sheet.join(''),
  });
}

function zip(files) {
  const parts = [];
  const directory = [];
  let offset = 0;
  for (const [name, text] of Object.entries(files)) {
    const bytes = Buffer.from(text);
    const packed = deflateRawSync(bytes);
    const head = Buffer.alloc(26);
    head.writeUInt16LE(20, 0);
    head.writeUInt16LE(8, 4);
    head.writeUInt32LE(crc32(bytes), 10);
    head.writeUInt32LE(packed.length, 14);
    head.writeUInt32LE(bytes.length, 18);
    head.writeUInt16LE(name.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), head, Buffer.from(name), packed]);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00'), head, rest, Buffer.from(name)]));
    parts.push(local);
    offset += local.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(directory.length, 4);
  end.writeUInt16LE(directory.length, 6);
  end.writeUInt32LE(list.length, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...parts, list, Buffer.from('PK\x05\x06'), end]);
}

const freePort = () =>
  new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });

const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Returns, in MiB, all resident memory and the part of it that is not file cache. */
function held(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const of = (key) => Number(new RegExp(`^${key}:\\s+(\\d+)`, 'm').exec(status)?.[1]) / 1024;
  return { all: of('VmRSS'), anonymous: of('RssAnon') };
}

const postgres = process.env.IMPORT_POSTGRES;
const prefix = `waybill_load_${process.pid}`;

/** Runs a statement for the database of each service. */
function databases(statement) {
  if (!postgres) return;
  for (const service of SERVICES) execFileSync('psql', ['-qX', '-d', postgres, '-c', statement(`${prefix}_${service}`)]);
}

const [port, ops, ingest] = [await freePort(), await freePort(), await freePort()];
const base = `http://127.0.0.1:${port}`;
databases((name) => `CREATE DATABASE ${name}`);
const server = spawn(program, ['--data', folder, '--listen', `127.0.0.1:${port}`], {
  env: {
    ...process.env,
    WAYBILL__OPS__PORT: String(ops),
    WAYBILL__INGEST__PORT: String(ingest),
    ...(postgres && { WAYBILL__DATABASE__URL: new URL(`/${prefix}_{service}`, postgres).href.replace('%7B', '{').replace('%7D', '}') }),
  },
  stdio: ['ignore', 'ignore', 'ignore'],
});

async function graphql(query, token) {
  const answer = await fetch(`${base}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
    body: JSON.stringify({ query }),
  });
  return answer.json();
}

async function signIn() {
  const answer = await fetch(`${base}/auth`, { method: 'POST', body: JSON.stringify({ method: 'login', username: 'load', password: PASSWORD }) });
  const cookie = answer.headers.getSetCookie().map((it) => it.split(';')[0]).filter((it) => !it.endsWith('=')).join('; ');
  return (await fetch(`${base}/auth?method=getToken`, { headers: { cookie } })).text();
}

async function main() {
  const file = format === 'xlsx' ? xlsx() : csv();
  while (!(await fetch(`http://127.0.0.1:${ops}/readyz`).catch(() => ({ ok: false }))).ok) {
    if (server.exitCode !== null) throw new Error(`${program} does not start`);
    await pause(50);
  }
  await graphql(`mutation { createAdmin(input: { username: "load", email: "load@example.com", password: "${PASSWORD}" }) { username } }`);
  let token = await signIn();
  const post = (path, body = '') =>
    fetch(base + path, { method: 'POST', headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' }, body }).then((it) => it.json());
  const filename = `load.${format}`;
  const { url } = await post('/request-upload-link', JSON.stringify({ filename }));
  const put = await fetch(new URL(url, base), { method: 'PUT', body: file });
  if (put.status !== 200) throw new Error(`the file was not taken: ${put.status}`);
  await pause(1000);
  const before = held(server.pid);
  const peak = { ...before };
  /** Waits until the log has this status; returns the seconds since `began`. */
  const until = async (status, began) => {
    let log;
    do {
      for (let turn = 0; turn < 5; turn += 1) {
        await pause(50);
        const now = held(server.pid);
        peak.all = Math.max(peak.all, now.all);
        peak.anonymous = Math.max(peak.anonymous, now.anonymous);
      }
      log = (await graphql(`{ uploadLog(id: "${uploadLog}") { status rowsTotal rowsCreated failureText } }`, token)).data?.uploadLog;
      if (!log) token = await signIn();
    } while (![status, 'imported_with_errors', 'failed'].includes(log?.status));
    if (log.status !== status || log.rowsCreated !== Number(lines)) throw new Error(`the import went wrong: ${JSON.stringify(log)}`);
    return ((Date.now() - began) / 1000).toFixed(1);
  };

  const stored = encodeURIComponent(url.split('?')[0]);
  let began = Date.now();
  const { uploadLog } = await post(`/upload-deliveries?url=${stored}&filename=${filename}&sourceId=&dryRun=true`);
  const checked = await until('validated', began);
  began = Date.now();
  const committed = await graphql(`mutation { commitUpload(input: { id: "${uploadLog}" }) { id } }`, token);
  if (committed.errors) throw new Error(JSON.stringify(committed.errors));
  const imported = await until('imported', began);
  const after = held(server.pid);
  const mib = ({ all, anonymous }) => `${anonymous.toFixed(0)} MiB (${all.toFixed(0)} with files)`;
  const grown = peak.anonymous - before.anonymous;
  console.log(`${lines} lines as ${format}, ${(file.length / 2 ** 20).toFixed(1)} MiB, on ${postgres ? 'Postgres' : 'SQLite'}: checked in ${checked} s, imported in ${imported} s`);
  console.log(`before ${mib(before)}, at the peak ${mib(peak)}, after ${mib(after)}: ${grown.toFixed(0)} MiB more, ${LIMIT} are allowed`);
  return grown <= LIMIT;
}

let good = false;
try {
  good = await main();
} finally {
  server.kill('SIGTERM');
  await new Promise((resolve) => (server.exitCode === null ? server.once('exit', resolve) : resolve()));
  databases((name) => `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
  rmSync(folder, { recursive: true, force: true });
}
process.exitCode = good ? 0 : 1;
