// A small installation without containers: a root file system with the program, the libraries that it is
// linked to, CA certificates and the folders that its unit names, and nothing else; and a separate account.
// Follows the steps of the README, without systemd.
import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, existsSync, linkSync, mkdirSync, readFileSync, readdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { folder, freePorts, status, until } from './program.mjs';

const program = process.env.WAYBILL_BIN;
const deploy = fileURLToPath(new URL('../../deploy/systemd/', import.meta.url));
const unit = readFileSync(join(deploy, 'waybill.service'), 'utf8');
const CERTIFICATES = '/etc/ssl/certs/ca-certificates.crt';
/** A user id that this machine does not have. */
const NOBODY = 64_321;
const isRoot = process.getuid() === 0;

/** Returns the last value that the unit sets for a key. */
const says = (key) => unit.match(new RegExp(`^${key}=(.*)$`, 'm'))[1];

function settings() {
  const lines = readFileSync(join(deploy, 'waybill.env'), 'utf8').split('\n').filter((line) => /^WAYBILL/.test(line));
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
}

/** Makes the root file system and returns its path. */
function bareRoot(t) {
  const base = folder(t);
  chmodSync(base, 0o755);
  const put = (from, to) => {
    mkdirSync(join(base, dirname(to)), { recursive: true });
    // Link the files if possible, because a development build has hundreds of megabytes.
    try { linkSync(from, join(base, to)); } catch { copyFileSync(from, join(base, to)); }
  };
  const [binary, , data] = says('ExecStart').split(' ');
  assert.equal(data, `/var/lib/${says('StateDirectory')}`);
  put(realpathSync(program), binary);
  const linked = [...execFileSync('ldd', [program], { encoding: 'utf8' }).matchAll(/(\/\S+) \(0x/g)].map((match) => match[1]);
  assert.ok(linked.length > 0 && linked.every((path) => /\/(?:libc|libm|libgcc_s|ld-linux[\w-]*)\.so\.\d+$/.test(path)), `it needs ${linked}`);
  for (const path of linked) put(realpathSync(path), path);
  mkdirSync(join(base, dirname(data)), { recursive: true });
  mkdirSync(join(base, data), { mode: 0o700 });
  mkdirSync(join(base, 'tmp'));
  for (const path of [data, 'tmp']) if (isRoot) chownSync(join(base, path), NOBODY, NOBODY);
  return { base, binary, data, put };
}

/** Returns the command line for a command within the root, run as the program's account. */
const within = ({ base }, command) => (isRoot
  ? ['chroot', [`--userspec=${NOBODY}:${NOBODY}`, '--groups=', base, ...command]]
  : ['unshare', ['--user', '--map-root-user', 'chroot', base, ...command]]);

/** Replaces systemd-run, as far as waybill-admin uses it: the command gets the variables of the file and no others. */
const SYSTEMD_RUN = `#!/bin/sh
while :; do
  case $1 in
    --property=EnvironmentFile=-*) file=\${1#--property=EnvironmentFile=-} ;;
    --*) ;;
    *) break ;;
  esac
  shift
done
exec env -i $(grep '^WAYBILL' "$file") "$@"
`;

test('waybill-admin: a command beside the unit has the settings, the account and the folder of the unit', (t) => {
  const script = readFileSync(join(deploy, 'waybill-admin'), 'utf8');
  assert.ok(script.includes(` ${says('ExecStart')} "$@"`), 'the program and its folder');
  for (const [key, option] of [['User', '--uid'], ['Group', '--gid'], ['WorkingDirectory', '--working-directory'], ['UMask', '--property=UMask'], ['EnvironmentFile', '--property=EnvironmentFile']]) {
    assert.ok(script.includes(` ${option}=${says(key)} `), key);
  }
  const here = folder(t);
  writeFileSync(join(here, 'systemd-run'), SYSTEMD_RUN, { mode: 0o755 });
  copyFileSync(join(deploy, 'waybill.env'), join(here, 'waybill.env'));
  const places = { '/usr/local/bin/waybill': program, '/etc/waybill/waybill.env': join(here, 'waybill.env'), '/var/lib/waybill': join(here, 'data') };
  const placed = Object.entries(places).reduce((so, [from, to]) => so.replaceAll(from, to), script);
  const said = execFileSync('sh', ['-c', placed, 'waybill-admin', 'config', 'show'], { env: { PATH: `${here}:${process.env.PATH}`, WAYBILL__HTTP__PORT: '1' }, encoding: 'utf8' });
  assert.match(said, /^http\.public_url = "https:\/\/waybill\.example\.com" {2}# environment$/m);
  assert.match(said, new RegExp(`^data = "${join(here, 'data')}" {2}# flag$`, 'm'));
  assert.match(said, /^http\.port = 8080 {2}# default$/m, 'nothing of the caller');
});

test('bare root: the program starts with nothing beside it, keeps its data to itself, and stops in time', async (t) => {
  const root = bareRoot(t);
  const [http, ops, ingest] = await freePorts(3);
  const env = {
    ...settings(), WAYBILL__HTTP__PORT: String(http), WAYBILL__OPS__PORT: String(ops), WAYBILL__INGEST__PORT: String(ingest),
    PATH: '/usr/sbin:/usr/bin:/sbin:/bin',
  };
  const [file, args] = within(root, [root.binary, '--data', root.data]);
  const early = spawnSync(file, args, { env, encoding: 'utf8', timeout: 60_000 });
  assert.ok(early.status === 1 && early.stderr.includes('Install them, on Debian with the package ca-certificates'), early.stderr);
  root.put(CERTIFICATES, CERTIFICATES);
  const child = spawn(file, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
  t.after(() => child.kill('SIGKILL'));
  // Read the two separately, because a line of the log may come between two lines of the greeting.
  let [said, log] = ['', ''];
  child.stdout.on('data', (piece) => { said = (said + piece).slice(-8000); });
  child.stderr.on('data', (piece) => { log = (log + piece).slice(-8000); });
  const ended = new Promise((resolve) => { child.on('exit', (code, signal) => resolve({ code, signal })); });
  await until(60, async () => child.exitCode !== null || (await status(`http://127.0.0.1:${ops}/readyz`)) === 200, 'it is never ready');
  assert.equal(child.exitCode, null, said + log);

  const host = { host: 'waybill.example.com', 'x-forwarded-for': '203.0.113.7', 'x-forwarded-proto': 'https' };
  // Do not request the application, because a development build reads it from the sources.
  assert.equal((await fetch(`http://127.0.0.1:${http}/health`, { headers: host })).status, 200);
  assert.match(said, /Create the first account here:\s+https:\/\/waybill\.example\.com\//);
  const [create, rest] = within(root, [root.binary, '--data', root.data, 'admin', 'create', '--username', 'keeper', '--email', 'keeper@example.com', '--password-stdin']);
  execFileSync(create, rest, { env: { ...env, PATH: '/usr/sbin:/usr/bin' }, input: 'a long pass phrase\n', stdio: ['pipe', 'ignore', 'inherit'] });
  const body = JSON.stringify({ method: 'login', username: 'keeper', password: 'a long pass phrase' });
  const login = await fetch(`http://127.0.0.1:${http}/auth`, { method: 'POST', headers: { ...host, 'content-type': 'application/json' }, body });
  assert.equal(login.status, 200, await login.text());

  const data = join(root.base, root.data);
  assert.ok(readdirSync(data).includes('auth.db') && existsSync(join(data, 'secrets/service_secret')));
  assert.equal(statSync(join(data, 'secrets')).mode & 0o077, 0, 'others may read the secrets');
  const [check, words] = within(root, [root.binary, '--data', root.data, 'backup', '--to', '/tmp/backup']);
  execFileSync(check, words, { env: { ...env, PATH: '/usr/sbin:/usr/bin' }, stdio: ['ignore', 'ignore', 'inherit'] });
  assert.ok(existsSync(join(root.base, 'tmp/backup/SHA256SUMS')));
  assert.deepEqual(readdirSync(root.base).toSorted(), ['etc', 'lib', 'lib64', 'tmp', 'usr', 'var'].filter((name) => existsSync(join(root.base, name))));

  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), Number(says('TimeoutStopSec')) * 1000);
  assert.deepEqual(await ended, { code: 0, signal: null }, said + log);
  clearTimeout(timer);
});
