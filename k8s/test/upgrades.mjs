// Upgrades installations of an earlier release, as docs/upgrades.md says. `just upgrades` runs this.
//   node upgrades.mjs SOURCES PROGRAM [RATE]    the sources and the program of the earlier release
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { targets } from '../../scripts/deployments/table.mjs';
import { Cluster } from './cluster.mjs';
import { Ingress } from './ingress.mjs';
import { render } from './manifests.mjs';
import { Office } from './office.mjs';
import { folder, freePorts, started, succeeds, until } from './program.mjs';

// Until every service is of this release, NATS allows the inbox of the release before.
process.env.WAYBILL_SHARED_INBOX = 'yes';
const [sources, before, rate = '50'] = process.argv.slice(2);
const [USERNAME, PASSWORD] = ['keeper', 'a long pass phrase'];
const SOURCES = 'query($page: PageOptions) { sources(page: $page) { name } }';
/** A page of a list has this many rows at most. */
const PAGE = 100;

/** Returns the names of all sources. */
async function names(office) {
  const found = [];
  for (let offset = 0; ; offset += PAGE) {
    const { sources: page } = await office.graph(SOURCES, { page: { limit: PAGE, offset } });
    found.push(...page.map(({ name }) => name));
    if (page.length < PAGE) return found;
  }
}

/** Fails unless every source that was answered as created is there once. */
async function keeps(office, created) {
  const found = (await names(office)).filter((name) => name.startsWith('source '));
  assert.deepEqual(created.filter((name) => !found.includes(name)), [], 'lost');
  assert.equal(new Set(found).size, found.length, 'there twice');
}

test('separate services: tables and programs are replaced under load, there, back, and there again', async (t) => {
  const cluster = await Cluster.begin(t, 'quick');
  const names = targets().map(({ name }) => name);
  const canEncrypt = readFileSync(join(sources, 'services/kit/defaults.toml'), 'utf8').includes('\nallow_plaintext');
  const [here, now] = [cluster.objects, cluster.program];
  const release = {
    before: () => Object.assign(cluster, { objects: render('dev', sources), program: before, encryption: canEncrypt ? 'required' : 'unknown' }),
    now: () => Object.assign(cluster, { objects: here, program: now, encryption: canEncrypt ? 'required' : 'off' }),
  };
  release.before();
  await cluster.open(USERNAME, PASSWORD);
  const ingress = new Ingress(cluster);
  await ingress.signIn(USERNAME, PASSWORD);
  const end = ingress.begin(Number(rate));
  try {
    release.now();
    await cluster.migrateAll();
    console.log(`the tables are those of this release: ${ingress.sent} requests, ${ingress.failures.length} failed`);
    for (const step of ['now', 'before', 'now']) {
      release[step]();
      await cluster.rollAll(names, 1);
      console.log(`every target runs the release "${step}": ${ingress.sent} requests, ${ingress.failures.length} failed`);
    }
  } finally {
    await end();
  }
  console.log(ingress.report());
  assert.deepEqual(ingress.failures, []);
  assert.ok(ingress.created.length > 20, `${ingress.created.length} changes are too few to say anything`);
  const office = new Office(ingress.address());
  await office.signIn(USERNAME, PASSWORD);
  await keeps(office, ingress.created);
});

/** What a process may change whenever it runs: the figures, which it makes from the rest, and tables about its own work. */
const ITS_OWN = /^analytics\.|\.(seaql_migrations|job|outbox|inbox|session|audit_head)$/;
/** Prints each table of the databases of a folder as JSON: its columns and its rows as text. */
const TABLES = `
import json, pathlib, sqlite3, sys
found = {}
for file in sorted(pathlib.Path(sys.argv[1]).glob("*.db")):
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as db:
        for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'").fetchall():
            columns = [row[1] for row in db.execute(f'PRAGMA table_info("{table}")')]
            quoted = ", ".join(f'quote("{name}")' for name in columns)
            found[f"{file.stem}.{table}"] = {"columns": columns, "rows": db.execute(f'SELECT {quoted} FROM "{table}"').fetchall()}
json.dump(found, sys.stdout)
`;
const tables = (data) => JSON.parse(execFileSync('python3', ['-c', TABLES, data], { encoding: 'utf8', maxBuffer: 1 << 30 }));

/** Returns the rows of a table in these columns, each as text. */
const texts = ({ columns, rows }, wanted) => rows.map((row) => wanted.map((name) => row[columns.indexOf(name)]).join());

test('one process: what the release before kept is there after the upgrade, row for row', async (t) => {
  const data = join(folder(t), 'data');
  const [port, ops, ingest] = await freePorts(3);
  const env = {
    PATH: process.env.PATH, WAYBILL__DATA: data, WAYBILL__HTTP__PORT: String(port), WAYBILL__OPS__PORT: String(ops), WAYBILL__INGEST__PORT: String(ingest),
    WAYBILL__TELEMETRY__LOG: 'warn',
  };
  execFileSync(before, ['seed', '--deliveries', '2000', '--staff'], { env, stdio: 'ignore' });
  const run = async (program) => {
    const process = started(t, { args: ['serve'] }, env, program);
    await succeeds({ httpGet: { path: '/readyz' } }, ops, 60, process);
    return process;
  };
  const signedIn = async () => {
    const office = new Office(`http://127.0.0.1:${port}`);
    await office.signIn('demo.admin', 'kalesa-48-sampalok');
    return office;
  };
  const stop = async (process) => {
    process.child.kill('SIGTERM');
    assert.equal((await process.ended).code, 0, process.said());
  };

  // People save until the old program is told to stop, and whatever was answered must be there.
  const old = await run(before);
  const office = await signedIn();
  const created = [];
  let isOver = false;
  const saving = (async () => {
    for (let at = 0; !isOver; at++) {
      const name = `source ${at}`;
      await office.graph('mutation($input: CreateSourceInput!) { createSource(input: $input) { id } }', { input: { name } })
        .then(() => created.push(name), () => { isOver = true; });
    }
  })();
  await until(20, () => created.length >= 50, 'nothing can be saved');
  await stop(old);
  await saving;
  const kept = tables(data);

  const began = Date.now();
  const next = await run(process.env.WAYBILL_BIN);
  console.log(`the new release was ready after ${Date.now() - began} ms`);
  await stop(next);
  const found = tables(data);
  let rows = 0;
  const different = [];
  for (const [name, table] of Object.entries(kept).filter(([name]) => !ITS_OWN.test(name))) {
    const now = new Set(found[name] && texts(found[name], table.columns));
    const lost = texts(table, table.columns).filter((row) => !now.has(row));
    if (lost.length > 0) different.push(`${name}: ${lost.length} of ${table.rows.length} rows, ${lost[0]}`);
    rows += table.rows.length;
  }
  assert.deepEqual(different, []);
  console.log(`${rows} rows are what they were`);
  const again = await run(process.env.WAYBILL_BIN);
  await keeps(await signedIn(), created);
  await stop(again);
});
