// Compares docs/network.md with the policies: for every pair of ends and every port, exactly what its rows
// say is allowed.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../../scripts/sources.mjs';
import { named, ofKind, OVERLAYS, render, workloads } from './manifests.mjs';
import { reaches } from './network.mjs';

const page = read('docs/network.md');
const cells = (line) => line.split('|').slice(1, -1).map((cell) => cell.trim().replaceAll('`', ''));
const table = (head) => {
  const [, after] = page.split(`${head}\n`);
  assert.ok(after, `docs/network.md has no table ${head}`);
  return after.split('\n').slice(1).filter((line, at, all) => all.slice(0, at + 1).every((it) => it.startsWith('|'))).map(cells);
};

const PORTS = new Map(table('| Server | `dev` | `prod` |').map(([server, dev, prod]) => [server, { dev: Number(dev), prod: Number(prod) }]));
const ALWAYS = table('| From | To | Port | What for |');
const MORE = table('| Component | From | To | Port | What for |');
const TRIED = [22, 25, 53, 80, 443, 465, 587, 4222, 4317, 5055, 5432, 6379, 8080, 8081, 8082, 8222, 8333, 8334, 8888, 9333, 18888, 19333];

/** The components of each overlay besides those that it always has. */
const EVERY = ['telemetry', 'geocoding', 'mail', 'webhooks'];
const COMPONENTS = { small: [], dev: [], prod: ['telemetry'], 'prod with every component': EVERY, 'small with components': EVERY };

function ends(objects) {
  const found = new Map(workloads(objects).map(({ object, labels }) =>
    [object.metadata.name === 's3' ? 'objects' : object.metadata.name, { namespace: object.metadata.namespace, labels }]));
  found.set('ingress', { namespace: 'ingress', labels: { 'app.kubernetes.io/name': 'controller' } });
  found.set('collector', { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'otel' } });
  found.set('prometheus', { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'prometheus' } });
  found.set('dashboards', { namespace: 'monitoring', labels: { 'app.kubernetes.io/name': 'grafana' } });
  found.set('dns', { namespace: 'kube-system', labels: { 'k8s-app': 'kube-dns' } });
  found.set('system', { namespace: 'kube-system', labels: { 'k8s-app': 'other' } });
  // A pod in another namespace with the labels of the gateway.
  found.set('stranger', { namespace: 'default', labels: named(objects, 'Deployment', 'gateway')?.spec.template.metadata.labels ?? {} });
  found.set('nobody', { namespace: 'waybill', labels: { 'app.kubernetes.io/name': 'nobody' } });
  found.set('internet', { address: '203.0.113.7' });
  found.set('metadata', { address: '169.254.169.254' });
  found.set('neighbour', { address: '10.1.2.3' });
  const block = (name) => named(objects, 'NetworkPolicy', `to-${name}`)?.spec.egress[0].to[0].ipBlock?.cidr.split('/')[0];
  for (const server of ['postgres', 'nats', 'redis', 'objects', 'mail']) if (block(server)) found.set(server, { address: block(server) });
  return found;
}

/** Returns the rows that apply to an overlay, as texts. */
function allowed(overlay, all) {
  const port = (text) => (text.startsWith('(') ? PORTS.get(text)[overlay === 'dev' ? 'dev' : 'prod'] : Number(text));
  const rows = new Set();
  const add = (from, to, text) => rows.add(`${from} → ${to}:${port(text)}`);
  const isSmall = overlay.startsWith('small');
  // In `small` one pod stands in for all services.
  const sender = (name) => (isSmall && ['gateway', 'auth', 'deliveries'].includes(name) ? 'waybill' : name);
  const ours = [...all].filter(([name, end]) => end.namespace === 'waybill' && name !== 'nobody').map(([name]) => name);
  for (const [from, to, text] of isSmall ? [['ingress', 'waybill', '8080']] : ALWAYS) add(from, to, text);
  if (overlay === 'dev') for (const it of [...rows].filter((row) => row.startsWith('ingress'))) rows.delete(it);
  for (const [component, from, to, text] of MORE) {
    if (COMPONENTS[overlay].includes(component)) {
      for (const name of from === 'every part' ? ours : [sender(from)]) for (const other of to === 'every part' ? ours : [to]) add(name, other, text);
    }
  }
  for (const name of [...ours, 'nobody']) rows.add(`${name} → dns:53`);
  // The geocoder and receivers may be anywhere outside, so all public addresses are open.
  for (const [component, from] of [['geocoding', 'gateway'], ['webhooks', 'deliveries']]) {
    if (!COMPONENTS[overlay].includes(component)) continue;
    for (const [name, end] of all) if (end.address?.startsWith('192.0.2.')) rows.add(`${sender(from)} → ${name}:443`);
  }
  return rows;
}

function open(objects, all) {
  const found = [];
  const isHere = (end) => end.namespace === 'waybill';
  for (const [from, sender] of all) {
    for (const [to, receiver] of all) {
      // Connections between others are not our concern.
      if (from === to || (!isHere(sender) && !isHere(receiver))) continue;
      for (const number of TRIED) if (reaches(objects, sender, receiver, number)) found.push(`${from} → ${to}:${number}`);
    }
  }
  return found;
}

for (const overlay of Object.keys(OVERLAYS)) {
  test(`${overlay}: what policies let through is what docs/network.md says`, () => {
    const objects = render(overlay);
    const all = ends(objects);
    const rows = allowed(overlay, all);
    const found = open(objects, all);
    assert.deepEqual(found.filter((it) => !rows.has(it)), [], 'open, and in no row');
    assert.deepEqual([...rows].filter((it) => !found.includes(it)), [], 'a row, and closed');
    const dns = all.get('dns');
    for (const [, end] of all) if (end.namespace === 'waybill') assert.ok(reaches(objects, end, dns, 53, 'UDP'));
  });
}

test('a policy that opens more, and one that is missing, are found', () => {
  const all = ends(render('prod'));
  const difference = (change) => {
    const objects = render('prod');
    change(objects);
    const [rows, found] = [allowed('prod', all), open(objects, all)];
    return { more: found.filter((it) => !rows.has(it)), less: [...rows].filter((it) => !found.includes(it)) };
  };
  const policy = (objects, name) => named(objects, 'NetworkPolicy', name);
  assert.ok(difference((it) => { policy(it, 'from-ingress').spec.ingress[0].from = [{ namespaceSelector: {} }]; }).more.includes('stranger → gateway:8080'));
  assert.ok(difference((it) => { policy(it, 'to-postgres').spec.egress[0].to = []; }).more.includes('auth → internet:5432'));
  assert.ok(difference((it) => { policy(it, 'to-objects').spec.podSelector = {}; }).more.includes('auth → objects:443'));
  assert.ok(difference((it) => { policy(it, 'from-ingress').spec.ingress.push({ ports: [{ port: 8082 }] }); }).more.includes('stranger → gateway:8082'));
  assert.ok(difference((it) => { it.splice(it.indexOf(policy(it, 'upload')), 1); }).less.includes('upload → deliveries:8081'));
  const undone = difference((it) => { it.splice(it.indexOf(policy(it, 'default-deny')), 1); }).more;
  assert.ok(undone.includes('stranger → nobody:8080'), undone.join(', '));
});

test('the servers of dev are reached by those with a row, and by label alone', () => {
  const servers = ofKind(render('dev'), 'StatefulSet').map((it) => it.metadata.name).toSorted();
  assert.deepEqual(servers, ['nats', 'postgres', 'redis', 's3']);
});
