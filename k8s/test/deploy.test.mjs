// The files of deploy/ that no container engine has started here: what the program, its documents and the tools at hand
// can say about them.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { parse } from 'yaml';
import { settings, shutdown, targets, variable } from '../../scripts/deployments/table.mjs';
import { checked, folder, writeSecrets } from './program.mjs';

const deploy = fileURLToPath(new URL('../../deploy/', import.meta.url));
const text = (path) => readFileSync(join(deploy, path), 'utf8');
const compose = parse(text('compose.yaml'), { merge: true });
const known = new Set([...settings().keys()].map(variable));

test('compose: every target runs once, after its tables', () => {
  for (const { name, gateway } of targets()) {
    const service = compose.services[name];
    assert.deepEqual(service?.command, ['serve', '--target', name]);
    if (!gateway) assert.equal(service.depends_on[`migrate-${name}`].condition, 'service_completed_successfully');
  }
  for (const [name, service] of Object.entries(compose.services)) {
    for (const other of Object.keys(service.depends_on ?? {})) assert.ok(compose.services[other], `${name} waits for ${other}`);
    assert.ok(service.image === 'waybill' || /:[\w.-]*\d[\w.-]*$/.test(service.image), `${name}: ${service.image} may be any release`);
    for (const mount of service.volumes ?? []) {
      const [from] = mount.split(':');
      assert.ok(from.startsWith('./') ? existsSync(join(deploy, from)) : from in compose.volumes, `${name} mounts ${from}`);
    }
  }
});

test('compose: the program takes what its services are given, and secrets.sh makes every secret', async (t) => {
  const made = folder(t);
  execFileSync(join(deploy, 'secrets.sh'), [made]);
  for (const [name, { file }] of Object.entries(compose.secrets)) assert.ok(existsSync(join(made, file.replace('secrets/', ''))), `secrets.sh does not make ${name}`);
  for (const [name, service] of Object.entries(compose.services)) {
    for (const secret of service.secrets ?? []) assert.ok(compose.secrets[secret.source ?? secret], `${name}: no secret ${secret.source ?? secret}`);
    if (service.image !== 'waybill') continue;
    const own = join(made, `of-${name}`);
    writeSecrets(own, Object.fromEntries(service.secrets.map((secret) =>
      [secret.target ?? secret, readFileSync(join(made, secret.source ?? secret), 'utf8').trim()])));
    const env = Object.fromEntries(Object.entries(service.environment).map(([key, value]) => [key, String(value).replace('/run/secrets', own)]));
    const said = await checked(service.command[service.command.indexOf('--target') + 1], { ...env, PATH: process.env.PATH });
    assert.equal(said, null, `${name}: ${said}`);
  }
});

test('systemd: the unit is right, closed, and gives the program time to stop', async (t) => {
  const unit = text('systemd/waybill.service');
  const { drain, finish } = shutdown();
  assert.ok(Number(unit.match(/^TimeoutStopSec=(\d+)$/m)[1]) >= drain + finish + 5);
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
  // The program and its account are not installed here.
  const path = join(folder(t), 'waybill.service');
  writeFileSync(path, unit.replace('/usr/local/bin/waybill', '/bin/true').replace(/^(User|Group)=.*\n/gm, ''));
  const verified = spawnSync('systemd-analyze', ['verify', path], { encoding: 'utf8' });
  assert.equal(verified.stderr.split('\n').filter((line) => line.includes('waybill.service')).join('\n'), '');
  const security = spawnSync('systemd-analyze', ['security', '--offline=true', '--threshold=20', path], { encoding: 'utf8' });
  assert.equal(security.status, 0, security.stdout.split('\n').slice(-3).join('\n'));
});

/** Names in a query: metrics, and the labels that it selects or groups by. */
function names(query) {
  const metrics = [...query.matchAll(/\b(span_\w+)\{/g)].map((match) => match[1]);
  const selected = [...query.matchAll(/\{([^}]*)\}/g)].flatMap((match) => [...match[1].matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map((it) => it[1]));
  const grouped = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap((match) => match[1].split(',').map((it) => it.trim()));
  return { metrics, labels: [...selected, ...grouped] };
}

test('dashboards and alerts show what the collector makes of spans that exist', () => {
  const otel = parse(text('otel.yaml'));
  const { dimensions, namespace } = otel.connectors.spanmetrics;
  const telemetry = readFileSync(join(deploy, '../docs/telemetry.md'), 'utf8');
  for (const { name } of dimensions) assert.ok(telemetry.includes(`\`${name}\``), `docs/telemetry.md knows no attribute ${name}`);
  const labels = new Set(['le', 'service_name', 'span_name', ...dimensions.map(({ name }) => name.replaceAll('.', '_'))]);
  const metrics = new Set(['calls_total', 'duration_seconds_bucket'].map((name) => `${namespace}_${name}`));
  const panels = JSON.parse(text('grafana/dashboards/waybill.json')).panels;
  const rules = parse(text('prometheus/alerts.yaml')).groups.flatMap((group) => group.rules);
  const queries = [...panels.flatMap((panel) => panel.targets.map((target) => [panel.title, target.expr])), ...rules.map((rule) => [rule.alert, rule.expr])];
  for (const [title, query] of queries) {
    const used = names(query);
    assert.ok(used.metrics.length > 0, `${title} shows nothing of ours`);
    for (const metric of used.metrics) assert.ok(metrics.has(metric), `${title}: nobody makes ${metric}`);
    for (const label of used.labels) assert.ok(labels.has(label), `${title}: nothing has the label ${label}`);
    for (const [, span] of query.matchAll(/span_name="([^"]+)"/g)) assert.ok(telemetry.includes(`| \`${span}\` |`), `${title}: docs/telemetry.md knows no span ${span}`);
  }
  for (const rule of rules) assert.ok(existsSync(join(deploy, '..', rule.annotations.runbook)), `${rule.alert}: ${rule.annotations.runbook}`);
  // Each pipeline names what there is.
  for (const [name, pipeline] of Object.entries(otel.service.pipelines)) {
    for (const part of pipeline.receivers) assert.ok(otel.receivers[part] || otel.connectors[part], `${name}: ${part}`);
    for (const part of pipeline.exporters) assert.ok(part in otel.exporters || part in otel.connectors, `${name}: ${part}`);
  }
});

test('alerts come when they should, and not otherwise', () => {
  for (const args of [['check', 'config', 'prometheus.yaml'], ['test', 'rules', 'alerts.test.yaml']]) {
    const { status, stdout, stderr } = spawnSync(process.env.WAYBILL_PROMTOOL ?? 'promtool', args, { cwd: join(deploy, 'prometheus'), encoding: 'utf8' });
    assert.equal(status, 0, `${stdout}${stderr}`);
  }
});
