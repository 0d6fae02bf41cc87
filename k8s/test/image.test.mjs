// Tests the image without a container engine. The script that the Dockerfile runs builds the root file system, the test
// follows the Dockerfile's last stage line by line, and starts the program in the result as compose.yaml does: as its
// account, without capabilities, on a read-only root.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { chmodSync, chownSync, cpSync, lstatSync, mkdirSync, readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { inflateSync } from 'node:zlib';
import { imageEnvironment, said, stages } from './dockerfile.mjs';
import { Office } from './office.mjs';
import { folder, freePorts, status, until } from './program.mjs';

const repository = fileURLToPath(new URL('../..', import.meta.url));
const read = (path) => readFileSync(join(repository, path), 'utf8');
const isRoot = process.getuid() === 0;

const { root: making, build, last } = stages();
/** Returns the arguments of an instruction that is written as a list. */
const list = (text) => JSON.parse(text.slice(text.indexOf('[')));
const [user] = said(last, 'USER');
const [uid, gid] = user.split(':').map(Number);

/** Makes the root file system that the last stage of the Dockerfile makes, in a folder of the test. */
function image(t) {
  const base = folder(t);
  chmodSync(base, 0o755);
  const [sbom, out, root] = ['sbom.cdx.json', 'out', 'root'].map((name) => join(base, name));
  const [bill] = said(build, 'RUN').filter((text) => text.includes('--sbom'));
  execFileSync('node', bill.slice(bill.indexOf('node ') + 5).replace('/out/sbom.cdx.json', sbom).split(' '), { cwd: repository });
  const script = said(making, 'RUN').at(-1).replace('/image/', join(repository, 'deploy/image/')).replace('/built/waybill', process.env.WAYBILL_BIN)
    .replace('/built/sbom.cdx.json', sbom).replace(/\/out$/, out);
  execFileSync('bash', script.split(' '), { stdio: 'inherit' });
  assert.deepEqual(said(last, 'FROM'), ['scratch'], 'nothing but what is copied below');
  for (const copied of said(last, 'COPY')) {
    const [, owner, from, to] = copied.match(/^--from=root (?:--chown=(\S+) )?\/out(\/\S+) (\/\S*)$/) ?? assert.fail(`the test cannot follow COPY ${copied}`);
    mkdirSync(join(root, to), { recursive: true });
    // Make links instead of copies, because a development build has hundreds of megabytes.
    execFileSync('cp', ['-al', `${join(out, from)}/.`, join(root, to)]);
    if (owner && isRoot) chownSync(join(root, to), ...owner.split(':').map(Number));
  }
  return root;
}

function* files(root, path = '') {
  for (const name of readdirSync(join(root, path))) {
    const at = `${path}/${name}`;
    const info = lstatSync(join(root, at));
    yield [at, info];
    if (info.isDirectory()) yield* files(root, at);
  }
}

/**
 * Runs a command within the root: in its own mount namespace, with the data on a volume, without a way to
 * gain rights, as the account of USER.
 */
const WITHIN = `
set -e
root=$1 data=$2 account=$3
shift 3
mount --bind "$root" "$root"
mount --bind "$data" "$root/data"
mount -t tmpfs -o mode=1777,size=64m tmpfs "$root/tmp"
mount -o remount,bind,ro "$root"
exec setpriv --no-new-privs chroot --userspec="$account" --groups= "$root" "$@"
`;
const within = (root, data, command) => ['unshare', ['--mount', '--propagation', 'private', 'sh', '-c', WITHIN, 'image', root, data, user, ...command]];

/** The root contains what the program needs and its bill of materials, but no shell. */
function inspect(root) {
  const all = [...files(root)];
  const has = (path) => all.some(([at]) => at === path);
  const programs = all.filter(([, info]) => info.isFile() && info.mode & 0o111).map(([at]) => at);
  const allowed = /^\/usr\/local\/bin\/waybill$|\/(?:libc|libm|libgcc_s|ld-linux[\w-]*)\.so\.\d+$/;
  assert.deepEqual(programs.filter((path) => !allowed.test(path)), [], 'programs that nobody asked for');
  assert.ok(programs.includes(list(said(last, 'ENTRYPOINT')[0])[0]), 'the entry point is not in it');
  for (const [at, info] of all) {
    assert.equal(info.mode & 0o6000, 0, `${at} gives rights of its owner`);
    assert.ok(info.isSymbolicLink() || at === '/tmp' || !(info.mode & 0o022), `${at} can be changed by others`);
    if (isRoot && at !== '/data') assert.equal(info.uid, 0, `${at} belongs to somebody`);
  }
  if (isRoot) assert.deepEqual([lstatSync(join(root, 'data')).uid, lstatSync(join(root, 'data')).gid], [uid, gid]);
  assert.ok(uid > 0 && gid > 0 && new RegExp(`^\\w+:x:${uid}:${gid}:.*:/nonexistent$`, 'm').test(readFileSync(join(root, 'etc/passwd'), 'utf8')));

  const certificates = readFileSync(join(root, 'etc/ssl/certs/ca-certificates.crt'), 'utf8').match(/-----BEGIN[\s\S]+?-----END CERTIFICATE-----/g);
  assert.ok(certificates.length > 80 && new X509Certificate(certificates[0]).ca, 'certificates of authorities');
  for (const font of ['NotoSansArabic-Regular.ttf', 'NotoSansHebrew-Bold.ttf', 'NotoSansThai-Regular.ttf', 'NotoSansDevanagari-Regular.ttf', 'NotoSansCJK-Bold.ttc']) {
    assert.ok(has(`/usr/share/fonts/noto/${font}`), font);
  }
  if (has('/var/lib/dpkg')) {
    for (const name of readdirSync(join(root, 'var/lib/dpkg/status.d'))) {
      assert.match(readFileSync(join(root, 'var/lib/dpkg/status.d', name), 'utf8'), /^Version: \S/m, 'what a scanner looks up');
      assert.ok(has(`/usr/share/doc/${name}/copyright`), `${name} is without its licence`);
    }
  }

  const { components, metadata } = JSON.parse(readFileSync(join(root, 'usr/share/doc/waybill/sbom.cdx.json'), 'utf8'));
  assert.ok(execFileSync(process.env.WAYBILL_BIN, ['--version'], { encoding: 'utf8' }).includes(metadata.component.version));
  const crates = components.filter((it) => it.purl?.startsWith('pkg:cargo/'));
  const locked = new Set([...read('Cargo.lock').matchAll(/name = "(.+)"\nversion = "(.+)"/g)].map(([, name, version]) => `${name} ${version}`));
  assert.ok(crates.length > 200 && crates.every(({ name, version, hashes }) => locked.has(`${name} ${version}`) && hashes?.[0].alg === 'SHA-256'));
  for (const name of ['tokio', 'sea-orm', 'rustls', 'react', 'SQLite', 'Inter']) assert.ok(components.some((it) => it.name === name && it.licenses.length > 0), name);
}

/** Returns the content of a PDF with its streams decompressed. */
function unpacked(pdf) {
  let text = pdf.toString('latin1');
  for (const match of text.matchAll(/stream\r?\n/g)) {
    try {
      text += inflateSync(pdf.subarray(match.index + match[0].length), { finishFlush: 2 }).toString('latin1');
    } catch {
      // The stream is not compressed, or not in this way.
    }
  }
  return text;
}

/**
 * Starts the program in the root. Returns the process, its address, and a function that runs another command
 * there.
 */
async function start(t, root) {
  const data = folder(t);
  cpSync(join(root, 'data'), data, { recursive: true });
  chmodSync(data, 0o700);
  chownSync(data, uid, gid);
  const [http, ops, ingest] = await freePorts(3);
  const env = {
    ...imageEnvironment(), WAYBILL__HTTP__PORT: String(http), WAYBILL__OPS__PORT: String(ops), WAYBILL__INGEST__PORT: String(ingest),
    WAYBILL__ORGANIZATION__TIMEZONE: 'Australia/Lord_Howe', PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  };
  const [program] = list(said(last, 'ENTRYPOINT')[0]);
  const run = (command, more = {}) => {
    const [file, args] = within(root, data, command);
    return spawnSync(file, args, { env: { ...env, ...more.env }, input: more.input, encoding: 'utf8', timeout: 60_000 });
  };
  const [file, args] = within(root, data, [program]);
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  let text = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (piece) => { text = (text + piece).slice(-8000); });
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
  await until(60, async () => child.exitCode !== null || (await status(`http://127.0.0.1:${ops}/readyz`)) === 200, 'it is never ready');
  assert.equal(child.exitCode, null, text);
  return { child, ended, program, run, address: `http://127.0.0.1:${http}`, said: () => text };
}

/** The process runs as its account, has no capabilities, and can write only to its data. */
function confined({ child, program, run }) {
  const process_ = readFileSync(`/proc/${child.pid}/status`, 'utf8');
  const of = (name) => process_.match(new RegExp(`^${name}:[ \\t]*(.*)$`, 'm'))[1].trim().replaceAll(/\s+/g, ' ');
  assert.deepEqual([of('Uid'), of('Gid'), of('Groups')], [Array(4).fill(uid).join(' '), Array(4).fill(gid).join(' '), '']);
  assert.deepEqual([Number(of('CapEff')), of('NoNewPrivs')], [0, '1']);
  const mounts = readFileSync(`/proc/${child.pid}/mountinfo`, 'utf8').split('\n').map((line) => line.split(' '));
  assert.match(mounts.find((it) => it[4] === '/')[5], /^ro/);

  const health = list(said(last, 'HEALTHCHECK')[0]);
  assert.equal(run(health).status, 0, 'its own check of its health');
  for (const shell of ['/bin/sh', 'sh', '/bin/bash', '/usr/bin/dpkg']) assert.notEqual(run([shell, '-c', 'true']).status, 0, `${shell} is there`);
  assert.notEqual(run([program, '--data', '/etc/waybill', 'migrate']).status, 0, 'it writes beside its data');
  assert.match(run([program, 'config', 'check'], { env: { WAYBILL__ORGANIZATION__TIMEZONE: 'Mars/Phobos' } }).stderr, /organization\.timezone/);
}

/** Forms have letters of every script, and times have a time zone. */
async function works({ program, run, address }) {
  const made = run([program, 'admin', 'create', '--username', 'keeper', '--email', 'keeper@example.com', '--password-stdin'], { input: 'a long pass phrase\n' });
  assert.equal(made.status, 0, made.stderr);
  const office = new Office(address);
  await office.signIn('keeper', 'a long pass phrase');
  await office.createDelivery({ id: 'D-1', customername: 'متجر ร้าน 東京', scheduledatetime: '2026-07-01T00:00:00Z' });
  const form = unpacked(await office.formOfUndelivered('D-1'));
  for (const font of ['NotoSansArabic', 'NotoSansThai', 'NotoSansCJK']) assert.ok(form.includes(font), `the form is printed without ${font}`);
  // The root has no time zones of the system, so the program has its own.
  assert.match(await (await office.ask('/export/deliveries?format=csv')).text(), /2026-07-01[ T]10:30/);
}

test('image: its root is complete and has no shell; the program works in it as its account, and writes to its data alone', async (t) => {
  const root = image(t);
  inspect(root);
  if (!isRoot || spawnSync('unshare', ['--mount', 'true']).status !== 0) {
    t.diagnostic('the program was not started in the image: that takes root, and a kernel that lets root make mount namespaces');
    return;
  }
  const running = await start(t, root);
  confined(running);
  await works(running);
  running.child.kill(said(last, 'STOPSIGNAL')[0]);
  assert.deepEqual(await running.ended, { code: 0, signal: null }, running.said());
});
