// The files of deploy/ that no container engine runs here: checks them with the program, its documents and
// the available tools.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { chownSync, existsSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parse } from 'yaml';
import { objectRights, settings, shutdown, targets, variable } from '../../scripts/deployments/table.mjs';
import { said as argumentsOf, stages } from './dockerfile.mjs';
import { isOurs, render, workloads } from './manifests.mjs';
import { checked, folder, writeSecrets } from './program.mjs';
import { read, selectors } from './promql.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const text = (path) => readFileSync(join(deploy, path), 'utf8');
const compose = parse(text('compose.yaml'), { merge: true });
/** The images that deploy/Dockerfile builds. */
const OURS = /^waybill(-backup)?$/;
const known = new Set([...settings().keys()].map(variable));

test('compose: every target runs once, after its tables', () => {
  for (const { name, gateway } of targets()) {
    const service = compose.services[name];
    assert.deepEqual(service?.command, ['serve', '--target', name]);
    if (!gateway) assert.equal(service.depends_on[`migrate-${name}`].condition, 'service_completed_successfully');
  }
  for (const [name, service] of Object.entries(compose.services)) {
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[other], `${name} waits for ${other}`);
    assert.ok(OURS.test(service.image) || /:[\w.-]*\d[\w.-]*$/.test(service.image), `${name}: ${service.image} may be any release`);
    for (const mount of service.volumes ?? []) {
      const [from] = mount.split(':');
      assert.ok(from.startsWith('./') ? existsSync(join(deploy, from)) : from in compose.volumes, `${name} mounts ${from}`);
    }
  }
});

test('compose: the program takes what its services are given, and secrets.sh makes every secret, and anew what was removed', async (t) => {
  const made = folder(t);
  // Root could write to read-only files, so let the folder belong to somebody else.
  const somebody = process.getuid() === 0 ? 64_321 : process.getuid();
  const make = () => execFileSync('bash', ['-s', made], { input: text('secrets.sh'), uid: somebody, gid: process.getuid() === 0 ? somebody : process.getgid() });
  if (process.getuid() === 0) chownSync(made, somebody, somebody);
  make();
  for (const [name, { file }] of Object.entries(compose.secrets)) assert.ok(existsSync(join(made, file.replace('secrets/', ''))), `secrets.sh does not make ${name}`);
  for (const [name, service] of Object.entries(compose.services)) {
    for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret.source ?? secret], `${name}: no secret ${secret.source ?? secret}`);
    if (!OURS.test(service.image)) continue;
    const own = join(made, `of-${name}`);
    writeSecrets(own, Object.fromEntries(service.secrets.map((secret) =>
      [secret.target ?? secret, readFileSync(join(made, secret.source ?? secret), 'utf8').trim()])));
    const env = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, String(value).replace('/run/secrets', own)]));
    const target = service.command.includes('--target') ? service.command[service.command.indexOf('--target') + 1] : 'all';
    const said = await checked(target, { ...env, PATH: process.env.PATH });
    assert.equal(said, null, `${name}: ${said}`);
  }
  const removed = ['auth.crt', 'ca.pem'].map((name) => join(made, name));
  const before = removed.map((path) => readFileSync(path, 'utf8'));
  for (const path of removed) rmSync(path);
  make();
  removed.forEach((path, at) => assert.notEqual(readFileSync(path, 'utf8'), before[at], path));
});

test('compose: secrets.sh makes no account for a reader that it does not understand', (t) => {
  const made = folder(t);
  for (const [readers, why] of [
    ['erp\n', /"erp "/], ['e.p deliveries\n', /"e\.p deliveries"/], ['erp nosuch\n', /erp reads "nosuch"/],
    ['erp deliveries\nerp drivers\n', /"erp drivers"/],
  ]) {
    writeFileSync(join(made, 'readers'), readers);
    const { status, stderr } = spawnSync('bash', [join(deploy, 'secrets.sh'), made], { encoding: 'utf8' });
    assert.equal(status, 1, readers);
    assert.match(stderr, why);
  }
  assert.ok(!existsSync(join(made, 'nats.conf')));
});

test('compose: secrets.sh gives a reader that names a service twice each right once', (t) => {
  const made = folder(t);
  writeFileSync(join(made, 'readers'), 'erp deliveries drivers deliveries\n');
  execFileSync('bash', [join(deploy, 'secrets.sh'), made]);
  const [, account] = readFileSync(join(made, 'nats.conf'), 'utf8').split('"reader-erp": {');
  const imports = [...account.split('users:')[0].matchAll(/subject: "([^"]+)"/g)].map(([, subject]) => subject);
  assert.ok(imports.includes('$JS.API.STREAM.INFO.WAYBILL_DRIVERS'));
  assert.deepEqual(imports.filter((it, at) => imports.indexOf(it) < at), []);
});

test('the servers of the overlay dev are those of the composition, with the same arguments', () => {
  // Replaces what differs between a pod and a container: the folder of secrets, and what only a pod needs.
  const plain = (texts) => texts.map((it) => it.replaceAll('/run/secrets/waybill', '/run/secrets').replaceAll('$$', '$').replace(' --dir /tmp', '').replaceAll(/\s+/g, ' ').trim());
  const pods = workloads(render('dev')).filter(({ object }) => !isOurs(object));
  assert.deepEqual(pods.map(({ object }) => object.metadata.name).toSorted(), ['nats', 'postgres', 'redis', 's3']);
  for (const { object, containers: [container] } of pods) {
    const { image, entrypoint = [], command = [] } = compose.services[object.metadata.name];
    assert.equal(container.image, image);
    const given = [...(container.command ?? []), ...(container.args ?? [])];
    // Two differences are allowed: the path of Postgres' key file, and its maximum number of connections.
    if (object.metadata.name === 'postgres') {
      const [, , line] = command;
      for (const it of plain(given).filter((text) => text !== '-c')) assert.ok(it === 'max_connections=300' || it.startsWith('ssl_key_file=') || plain([line])[0].includes(`-c ${it}`), it);
    } else {
      assert.deepEqual(plain(given), plain([...entrypoint, ...command]), object.metadata.name);
    }
  }
});

test('only S3 can be reached from other containers, and the server creates the bucket itself', (t) => {
  const base = folder(t);
  // Replaces the program: prints the arguments and the variables of the server, and has the bucket.
  writeFileSync(join(base, 'weed'), `#!/bin/sh\ncase $* in *server*) printf '%s\\n' "$@"; env | grep ^WEED_ ;; *) printf '  waybill\\tsize:0\\n' ;; esac\n`, { mode: 0o755 });
  const { entrypoint, ports, environment = {} } = compose.services.s3;
  assert.deepEqual([entrypoint, environment, ports], [['sh', '/s3.sh'], {}, ['127.0.0.1:8333:8333']]);
  const lines = execFileSync('sh', [join(deploy, 's3.sh')], { env: { PATH: `${base}:${process.env.PATH}` }, encoding: 'utf8' }).split('\n');
  const given = lines.filter((line) => /^(-|WEED_)/.test(line));
  // Any other option might open another port.
  assert.deepEqual(given.toSorted(), [
    '-dir=/data', '-ip.bind=127.0.0.1', '-ip=127.0.0.1', '-logtostderr=true', '-master.volumeSizeLimitMB=512', '-s3', '-s3.cert.file=/run/secrets/s3.crt',
    '-s3.config=/run/secrets/s3.json', '-s3.ip.bind=0.0.0.0', '-s3.key.file=/run/secrets/s3.key', '-s3.port.https=8334', '-volume.max=0',
    // Nobody has a certificate that the gRPC port of S3 accepts.
    'WEED_GRPC_CA=/run/secrets/s3.crt', 'WEED_GRPC_S3_CERT=/run/secrets/s3.crt', 'WEED_GRPC_S3_KEY=/run/secrets/s3.key',
  ]);
  for (const [name, service] of Object.entries(compose.services)) {
    if (name === 's3') continue;
    const configured = JSON.stringify([service.image, service.entrypoint, service.command, service.environment]);
    assert.doesNotMatch(configured, /\bweed\b|seaweedfs|\bs3:(?!8334\b)/, `${name} reaches below S3`);
    assert.ok(!(service.secrets ?? []).some((secret) => /^s3\.(key|json)$/.test(secret.source ?? secret)), `${name} has a secret of the S3 server`);
  }
});

test('the image of the backup has the programs of the release of Postgres that the composition runs', () => {
  const { backup } = stages();
  assert.deepEqual(argumentsOf(backup, 'FROM'), [`${compose.services.postgres.image} AS backup`]);
  assert.equal(compose.services.backup.build.target, 'backup');
  const [user] = argumentsOf(backup, 'USER');
  assert.deepEqual(argumentsOf(backup, 'USER'), argumentsOf(stages().last, 'USER'));
  assert.ok(argumentsOf(backup, 'RUN').some((it) => /\bca-certificates\b/.test(it)), 'certificates of public authorities can be checked');
  assert.ok(argumentsOf(backup, 'RUN').includes(`install -d -o ${user.split(':')[0]} -g ${user.split(':')[1]} -m 700 /backups`), 'the volume belongs to the account');
});

test('deploy/README.md says what each service may do with the bucket', () => {
  const [, table] = text('README.md').split('| | Reads and writes | Reads |\n|---|---|---|\n');
  const rows = table.split('\n\n')[0].split('\n').map((line) => line.split('|').slice(1, -1).map((cell) => [...cell.matchAll(/`([\w/]+)`/g)].map((it) => it[1])));
  const documented = new Map(rows.map(([[name], writes, reads]) => [name, { writes, reads: [...reads, 'readiness/'] }]));
  assert.deepEqual(Object.fromEntries(documented), Object.fromEntries(objectRights()));
});

test('systemd: the unit is right, closed, and gives the program time to stop', async (t) => {
  const unit = text('systemd/waybill.service');
  const { drain, finish, terminated } = shutdown();
  assert.equal(Number(unit.match(/^SuccessExitStatus=(\d+)$/m)[1]), terminated);
  assert.ok(Number(unit.match(/^TimeoutStopSec=(\d+)$/m)[1]) >= drain + finish + 5);
  assert.match(unit, /^StartLimitIntervalSec=0$/m, 'systemd would give up, and a disk that has room again would not help');
  const lines = text('systemd/waybill.env').split('\n').map((line) => line.replace(/^#(?=WAYBILL)/, '')).filter((line) => /^WAYBILL/.test(line));
  const given = Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)]));
  for (const name of Object.keys(given)) assert.ok(known.has(name), `there is no setting ${name}`);
  const secrets = folder(t);
  writeSecrets(secrets, { smtp_url: 'smtps://name:password@mail.example.com:465' });
  const env = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value.replace('/etc/waybill', secrets)]));
  assert.equal(await checked('all', { ...env, PATH: process.env.PATH }), null);
  if (spawnSync('systemd-analyze', ['--version']).status !== 0) {
    t.diagnostic('systemd-analyze is not here: the unit was not verified');
    return;
  }
  // Replace the program and its account, which are not installed here.
  const path = join(folder(t), 'waybill.service');
  writeFileSync(path, unit.replace('/usr/local/bin/waybill', '/bin/true').replace(/^(User|Group)=.*\n/gm, ''));
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  assert.equal(verified.stderr.split('\n').filter((line) => line.includes('waybill.service')).join('\n'), '');
  const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', path], { encoding: 'utf8' });
  assert.equal(security.status, 0, security.stdout.split('\n').slice(-3).join('\n'));
});

test('the documented limits of proxies fit the largest requests', () => {
  const source = (path) => readFileSync(join(deploy, '..', path), 'utf8');
  const requests = readdirSync(join(deploy, '../gateway/src/http/driver')).filter((name) => name.endsWith('.rs'))
    .flatMap((name) => [...source(`gateway/src/http/driver/${name}`).matchAll(/^const MOST: usize = (\d+) << (\d+);$/gm)].map(([, number, bits]) => Number(number) * 2 ** Number(bits)));
  const setting = (key) => Number(settings().get(key));
  const largest = Math.max(...requests, setting('graphql.max_body_bytes'), setting('ingest.max_body_bytes')) / 2 ** 20;
  const file = Math.max(setting('imports.max_file_bytes'), setting('deliveries.max_attachment_bytes')) / 2 ** 20;
  const row = source('k8s/README.md').split('\n').find((line) => line.startsWith('| body size |'));
  assert.match(row, new RegExp(`at least ${largest} MiB .*at least ${file} MiB`));
  assert.match(source('README.md'), new RegExp(`bodies of ${file} MiB [^.]*client_max_body_size ${file}m;`));
});

/** Returns the metrics in docs/telemetry.md, each with its labels. */
function metrics() {
  const [, table] = readFileSync(join(deploy, '../docs/telemetry.md'), 'utf8').split('| Metric | Labels | |\n');
  const rows = table.split('\n\n')[0].split('\n').slice(1).map((line) => line.split('|').slice(1, -1).map((cell) => cell.trim()));
  return new Map(rows.map(([name, labels]) => [name.replaceAll('`', ''), [...labels.matchAll(/`(\w+)`/g)].map((it) => it[1])]));
}

test('people learn of alerts: the dashboard shows them, and what sends them and scrapes one process is named', () => {
  const [first] = JSON.parse(text('grafana/dashboards/waybill.json')).panels;
  assert.deepEqual(first.targets.map(({ expr }) => expr), ['ALERTS{alertstate="firing"}']);
  assert.match(text('README.md'), /Alertmanager.*`alerting`/s);
  const prometheus = text('prometheus/prometheus.yaml');
  const whole = parse(prometheus.replaceAll(/^#(?=[a-z]|  )/gm, ''));
  assert.ok(whole.alerting.alertmanagers.length > 0);
  const [, single] = whole.scrape_configs;
  assert.deepEqual(single.static_configs, [{ targets: [`${settings().get('ops.host')}:${settings().get('ops.port')}`] }]);
  const [, shop] = readFileSync(join(deploy, '../README.md'), 'utf8').split('## For a small shop\n');
  assert.ok(shop.split('\n## ')[0].includes(`\`${single.job_name}\``));
});

test('dashboards and alerts show metrics that exist, by labels that they have', () => {
  // Prometheus makes one of its own, which says what alerts do.
  const known = metrics().set('ALERTS', ['alertname', 'alertstate', 'severity']);
  assert.ok(known.size > 20);
  const panels = JSON.parse(text('grafana/dashboards/waybill.json')).panels.filter((panel) => panel.type !== 'row');
  const rules = parse(text('prometheus/alerts.yaml')).groups.flatMap((group) => group.rules);
  const queries = [...panels.flatMap((panel) => panel.targets.map((target) => [panel.title, target.expr])), ...rules.map((rule) => [rule.alert, rule.expr])];
  for (const [title, query] of queries) {
    const used = selectors(read(query.replaceAll('$__rate_interval', '5m')));
    const names = used.filter((it) => it.name).map((it) => it.name.replace(/_(count|bucket|sum)$/, ''));
    assert.ok(names.length > 0, `${title} shows nothing`);
    for (const name of names) assert.ok(known.has(name), `${title}: there is no metric ${name}`);
    // Every metric has the name of its process: at /metrics by the program, at the collector by its configuration.
    const labels = new Set(['le', 'service_name', ...names.flatMap((name) => known.get(name))]);
    for (const label of used.flatMap((it) => it.labels)) assert.ok(labels.has(label), `${title}: ${names} has no label ${label}`);
  }
  const otel = parse(text('otel.yaml'));
  for (const [name, pipeline] of Object.entries(otel.service.pipelines)) {
    for (const part of pipeline.receivers) assert.ok(part in otel.receivers, `${name}: ${part}`);
    for (const part of pipeline.processors) assert.ok(part in otel.processors, `${name}: ${part}`);
    for (const part of pipeline.exporters) assert.ok(part in otel.exporters, `${name}: ${part}`);
  }
});

test('each alert has a runbook, and the commands of runbooks exist', () => {
  const folderOf = join(deploy, '../docs/runbooks');
  const index = readFileSync(join(folderOf, 'README.md'), 'utf8');
  for (const rule of parse(text('prometheus/alerts.yaml')).groups.flatMap((group) => group.rules)) {
    const page = rule.annotations.runbook.replace('docs/runbooks/', '');
    assert.ok(existsSync(join(folderOf, page)), `${rule.alert}: ${page}`);
    const row = index.split('\n').find((line) => line.includes(`\`${rule.alert}\``));
    assert.ok(row?.includes(`](${page})`), `${rule.alert} has no row in the table of runbooks`);
  }
  const known = new Set(metrics().keys());
  for (const page of readdirSync(folderOf)) {
    const said = readFileSync(join(folderOf, page), 'utf8');
    for (const [, command, options = ''] of said.matchAll(/`waybill ([a-z][a-z -]*?)((?: --| [A-Z<.])[^`]*)?`/g)) {
      const { status, stdout } = spawnSync(process.env.WAYBILL_BIN, [...command.trim().split(' '), '--help'], { encoding: 'utf8' });
      assert.equal(status, 0, `${page}: there is no command waybill ${command}`);
      for (const [option] of options.matchAll(/--[a-z-]+/g)) assert.ok(stdout.includes(option), `${page}: waybill ${command} has no ${option}`);
    }
    for (const [, name] of said.matchAll(/`((?:waybill|http_server|rpc_server|process)_\w+)/g)) {
      assert.ok(known.has(name.replace(/_(count|bucket)$/, '')), `${page}: there is no metric ${name}`);
    }
  }
});

test('alerts come when they should, and not otherwise', () => {
  for (const args of [['check', 'config', 'prometheus.yaml'], ['test', 'rules', 'alerts.test.yaml']]) {
    const { status, stdout, stderr } = spawnSync(process.env.WAYBILL_PROMTOOL ?? 'promtool', args, { cwd: join(deploy, 'prometheus'), encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});
