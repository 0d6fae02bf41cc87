// Checks each row of the checklist on everything that the overlays render. Also breaks each row on purpose,
// because a rule that cannot fail proves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { read } from '../../scripts/sources.mjs';
import { backup, matches, named, ofKind, OVERLAYS, render, workloads } from './manifests.mjs';
import { reaches } from './network.mjs';
import { CLUSTER_RULES } from './rules/cluster.mjs';
import { POD_RULES } from './rules/pods.mjs';
import { evaluate, read as readQuery, samples } from './promql.mjs';
import { ADAPTER, ROLLOUT_RULES } from './rules/rollouts.mjs';
import { minors } from './schemas.mjs';

const RULES = { ...POD_RULES, ...ROLLOUT_RULES, ...CLUSTER_RULES };
const facts = { oldest: minors()[0] };
const complaints = (rule, objects, overlay) => [...RULES[rule](objects, overlay, facts)];

for (const overlay of Object.keys(OVERLAYS)) {
  test(`${overlay} obeys every rule`, () => {
    const objects = render(overlay);
    const found = Object.keys(RULES).flatMap((rule) => complaints(rule, objects, overlay).map((text) => `${rule}: ${text}`));
    assert.deepEqual(found, []);
  });
}

const deployment = (objects, name) => named(objects, 'Deployment', name);
const podOf = (objects, name) => deployment(objects, name).spec.template.spec;
const containerOf = (objects, name) => podOf(objects, name).containers[0];
const config = (objects) => ofKind(objects, 'ConfigMap').find((it) => it.metadata.name.startsWith('waybill-'));
const without = (objects, object) => objects.splice(objects.indexOf(object), 1);

// The rule, the object that it must name, what is broken, and the overlay if it is not prod.
const BROKEN = [
  ['restricted', 'Deployment/auth', (it) => { podOf(it, 'auth').securityContext.runAsNonRoot = false; }],
  ['restricted', 'Deployment/auth', (it) => { podOf(it, 'auth').securityContext.runAsUser = 0; }],
  ['restricted', 'Deployment/auth', (it) => { delete podOf(it, 'auth').securityContext.seccompProfile; }],
  ['restricted', 'Deployment/auth', (it) => { podOf(it, 'auth').hostNetwork = true; }],
  ['restricted', 'Deployment/auth', (it) => { podOf(it, 'auth').volumes.push({ name: 'x', hostPath: { path: '/' } }); }],
  ['restricted', 'Job/migrate-auth', (it) => { named(it, 'Job', 'migrate-auth').spec.template.spec.containers[0].securityContext.allowPrivilegeEscalation = true; }],
  ['restricted', 'Deployment/auth', (it) => { containerOf(it, 'auth').securityContext.privileged = true; }],
  ['restricted', 'Deployment/auth', (it) => { containerOf(it, 'auth').securityContext.capabilities.add = ['NET_ADMIN']; }],
  ['restricted', 'Deployment/auth', (it) => { containerOf(it, 'auth').ports[0].hostPort = 80; }],
  ['readOnly', 'Deployment/upload', (it) => { delete containerOf(it, 'upload').securityContext.readOnlyRootFilesystem; }],
  ['readOnly', 'Deployment/upload', (it) => { podOf(it, 'upload').volumes.find((volume) => volume.emptyDir).emptyDir = {}; }],
  ['accounts', 'Deployment/auth', (it) => { podOf(it, 'auth').automountServiceAccountToken = true; }],
  ['accounts', 'ServiceAccount/auth', (it) => { named(it, 'ServiceAccount', 'auth').automountServiceAccountToken = true; }],
  ['accounts', 'Deployment/drivers', (it) => { podOf(it, 'drivers').serviceAccountName = 'default'; }],
  ['accounts', 'Deployment/upload', (it) => { podOf(it, 'upload').serviceAccountName = 'deliveries'; }],
  ['accounts', 'RoleBinding/x', (it) => { it.push({ kind: 'RoleBinding', metadata: { name: 'x' } }); }],
  ['resources', 'Deployment/gateway', (it) => { delete containerOf(it, 'gateway').resources.limits.memory; }],
  ['resources', 'Deployment/gateway', (it) => { delete containerOf(it, 'gateway').resources.requests.cpu; }],
  ['resources', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').resources.limits.cpu = '1'; }],
  ['resources', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').resources.requests.cpu = '4'; }],
  ['resources', 'Deployment/gateway', (it) => { podOf(it, 'gateway').volumes.find(({ name }) => name === 'tmp').emptyDir.sizeLimit = '5Gi'; }],
  ['resources', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').resources.limits['ephemeral-storage'] = '5Gi'; }],
  ['images', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').image = 'registry.example.com/waybill:1'; }],
  ['images', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').image = 'waybill:latest'; }, 'dev'],
  ['images', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').imagePullPolicy = 'Always'; }],
  ['secrets', 'Secret/x', (it) => { it.push({ kind: 'Secret', metadata: { name: 'x' } }); }],
  ['secrets', 'ConfigMap/waybill', (it) => { config(it).data.WAYBILL__CACHE__URL = 'redis://:hunter2@redis:6379'; }],
  ['secrets', 'ConfigMap/waybill', (it) => { config(it).data.X = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08'; }],
  ['secrets', 'Deployment/auth', (it) => { containerOf(it, 'auth').env.push({ name: 'X', valueFrom: { secretKeyRef: { name: 'a', key: 'b' } } }); }],
  ['secrets', 'Deployment/auth', (it) => { containerOf(it, 'auth').args.push('--url=postgres://auth:secret@postgres/auth'); }],
  ['secrets', 'Deployment/auth', (it) => { podOf(it, 'auth').volumes.find((volume) => volume.secret).secret.secretName = 'waybill-upload'; }],
  ['secrets', 'Deployment/auth', (it) => { podOf(it, 'auth').volumes.find((volume) => volume.secret).secret.defaultMode = 0o644; }],
  ['secrets', 'Job/migrate-auth', (it) => { named(it, 'Job', 'migrate-auth').spec.template.spec.volumes.push({ name: 'x', secret: { secretName: 'waybill-auth-tls', defaultMode: 0o440 } }); }],
  ['encryption', 'Deployment/gateway', (it) => { config(it).data.WAYBILL__PEERS__URL = 'http://{service}:8081'; }],
  ['encryption', 'Deployment/auth', (it) => { delete config(it).data.WAYBILL__GRPC__CERTIFICATE_FILE; }],
  ['encryption', 'Deployment/auth', (it) => { config(it).data.WAYBILL__GRPC__KEY_FILE = '/tmp/tls.key'; }],
  ['encryption', 'Deployment/auth', (it) => { config(it).data.WAYBILL__GRPC__ALLOW_PLAINTEXT = 'true'; }],
  ['encryption', 'Deployment/auth', (it) => { config(it).data.WAYBILL__TELEMETRY__OTLP_ENDPOINT = 'http://otel.monitoring:4317'; }],
  ['encryption', 'Deployment/drivers', (it) => { podOf(it, 'drivers').volumes.find((volume) => volume.name === 'certificate').secret.secretName = 'waybill-auth-tls'; }],
  ['encryption', 'Deployment/drivers', (it) => { containerOf(it, 'drivers').volumeMounts = containerOf(it, 'drivers').volumeMounts.filter((mount) => mount.name !== 'certificate'); }, 'dev'],
  ['probes', 'Deployment/auth', (it) => { delete containerOf(it, 'auth').startupProbe; }],
  ['probes', 'Deployment/waybill', (it) => { containerOf(it, 'waybill').startupProbe.failureThreshold = 60; }, 'small'],
  ['probes', 'Deployment/auth', (it) => { containerOf(it, 'auth').livenessProbe.httpGet.path = '/readyz'; }],
  ['probes', 'Deployment/gateway', (it) => { containerOf(it, 'gateway').readinessProbe.httpGet.port = 'http'; }],
  ['probes', 'Deployment/auth', (it) => { config(it).data.WAYBILL__OPS__HOST = '127.0.0.1'; }],
  ['probes', 'Deployment/auth', (it) => { config(it).data.WAYBILL__OPS__PORT = '9999'; }],
  ['replicas', 'Deployment/auth', (it) => { deployment(it, 'auth').spec.replicas = 2; }],
  ['replicas', 'Deployment/auth', (it) => { named(it, 'HorizontalPodAutoscaler', 'auth').spec.minReplicas = 1; }],
  ['replicas', 'Deployment/waybill', (it) => { deployment(it, 'waybill').spec.replicas = 2; }, 'small'],
  ['replicas', 'Deployment/waybill', (it) => { deployment(it, 'waybill').spec.strategy = { type: 'RollingUpdate' }; }, 'small'],
  ['replicas', 'Deployment/waybill', (it) => { named(it, 'PersistentVolumeClaim', 'waybill-data').spec.accessModes = ['ReadWriteMany']; }, 'small'],
  ['rollout', 'Deployment/auth', (it) => { deployment(it, 'auth').spec.strategy.rollingUpdate.maxUnavailable = 1; }],
  ['rollout', 'Deployment/auth', (it) => { delete deployment(it, 'auth').spec.minReadySeconds; }],
  ['rollout', 'Deployment/auth', (it) => { delete deployment(it, 'auth').spec.progressDeadlineSeconds; }],
  ['rollout', 'Deployment/auth', (it) => { delete deployment(it, 'auth').spec.revisionHistoryLimit; }],
  ['rollout', 'Deployment/auth', (it) => { deployment(it, 'auth').spec.selector.matchLabels['app.kubernetes.io/name'] = 'other'; }],
  ['budgets', 'Deployment/auth', (it) => { without(it, named(it, 'PodDisruptionBudget', 'auth')); }],
  ['budgets', 'PodDisruptionBudget/auth', (it) => { named(it, 'PodDisruptionBudget', 'auth').spec.maxUnavailable = 0; }],
  ['budgets', 'PodDisruptionBudget/auth', (it) => { delete named(it, 'PodDisruptionBudget', 'auth').spec.unhealthyPodEvictionPolicy; }],
  ['spread', 'Deployment/auth', (it) => { podOf(it, 'auth').topologySpreadConstraints.shift(); }],
  ['spread', 'Deployment/auth', (it) => { podOf(it, 'auth').topologySpreadConstraints[1].whenUnsatisfiable = 'ScheduleAnyway'; }],
  ['spread', 'Deployment/auth', (it) => { delete podOf(it, 'auth').topologySpreadConstraints[0].matchLabelKeys; }],
  ['spread', 'Deployment/auth', (it) => { delete podOf(it, 'auth').affinity; }],
  ['scaling', 'Deployment/auth', (it) => { without(it, named(it, 'HorizontalPodAutoscaler', 'auth')); }],
  ['scaling', 'HorizontalPodAutoscaler/auth', (it) => { named(it, 'HorizontalPodAutoscaler', 'auth').spec.metrics[0].resource.target.averageUtilization = 90; }],
  ['scaling', 'HorizontalPodAutoscaler/auth', (it) => { delete named(it, 'HorizontalPodAutoscaler', 'auth').spec.behavior; }],
  ['lag', 'HorizontalPodAutoscaler/auth', (it) => { named(it, 'HorizontalPodAutoscaler', 'auth').spec.metrics.pop(); }, 'prod with every component'],
  ['lag', 'HorizontalPodAutoscaler/drivers', (it) => { named(it, 'HorizontalPodAutoscaler', 'drivers').spec.metrics[1].external.metric.selector.matchExpressions[0].values.pop(); }, 'prod with every component'],
  ['pools', 'Deployment/*', (it) => { named(it, 'HorizontalPodAutoscaler', 'auth').spec.maxReplicas = 30; }],
  ['pools', 'Deployment/*', (it) => { config(it).data.WAYBILL__DATABASE__MAX_CONNECTIONS = '50'; }],
  ['stop', 'Deployment/auth', (it) => { delete containerOf(it, 'auth').lifecycle; }],
  ['stop', 'Deployment/auth', (it) => { podOf(it, 'auth').terminationGracePeriodSeconds = 30; }],
  ['stop', 'Deployment/auth', (it) => { config(it).data.WAYBILL__OPS__STOP_DELAY_SECONDS = '30'; }],
  ['timeouts', 'Deployment/gateway', (it) => { config(it).data.WAYBILL__HTTP__TIMEOUT_SECONDS = '30'; }],
  ['timeouts', 'Deployment/gateway', (it) => { config(it).data.WAYBILL__GRPC__TIMEOUT_SECONDS = '5'; }],
  ['migrations', 'Job/migrate-upload', (it) => { without(it, named(it, 'Job', 'migrate-upload')); }],
  ['migrations', 'Job/migrate-upload', (it) => { named(it, 'Job', 'migrate-upload').spec.activeDeadlineSeconds = 60; }],
  ['migrations', 'Job/migrate-upload', (it) => { delete named(it, 'Job', 'migrate-upload').spec.ttlSecondsAfterFinished; }],
  ['migrations', 'Job/migrate-upload', (it) => { named(it, 'Job', 'migrate-upload').spec.backoffLimit = 0; }],
  ['migrations', 'Job/migrate-upload', (it) => { named(it, 'Job', 'migrate-upload').spec.template.spec.containers[0].args[2] = 'auth'; }],
  ['namespace', 'Namespace/waybill', (it) => { named(it, 'Namespace', 'waybill').metadata.labels['pod-security.kubernetes.io/enforce'] = 'baseline'; }],
  ['namespace', 'Namespace/waybill', (it) => { named(it, 'Namespace', 'waybill').metadata.labels['pod-security.kubernetes.io/warn-version'] = 'latest'; }],
  ['namespace', 'Service/auth', (it) => { named(it, 'Service', 'auth').metadata.namespace = 'default'; }],
  ['labels', 'Service/auth', (it) => { delete named(it, 'Service', 'auth').metadata.labels; }],
  ['labels', 'Deployment/auth', (it) => { delete deployment(it, 'auth').spec.template.metadata.labels['app.kubernetes.io/component']; }],
  ['priority', 'Deployment/auth', (it) => { delete podOf(it, 'auth').priorityClassName; }],
  ['configuration', 'Deployment/auth', (it) => { containerOf(it, 'auth').envFrom[0].configMapRef.name = 'waybill'; }],
  ['variables', 'Deployment/auth', (it) => { config(it).data.WAYBILL__HTTP__PROT = '80'; }],
  ['variables', 'Deployment/auth', (it) => { containerOf(it, 'auth').env.push({ name: 'WAYBILL_HTTP_PORT', value: '80' }); }],
  ['ports', 'Deployment/auth', (it) => { config(it).data.WAYBILL__GRPC__PORT = '9000'; }],
  ['addresses', 'Service/auth', (it) => { delete named(it, 'Service', 'auth').spec.clusterIP; }],
  ['addresses', 'Service/auth', (it) => { config(it).data.WAYBILL__PEERS__URL = 'http://{service}:80'; }],
  ['addresses', 'Service/waybill', (it) => { named(it, 'Service', 'waybill').spec.type = 'NodePort'; }],
  ['addresses', 'Service/waybill', (it) => { named(it, 'Service', 'waybill').spec.selector['app.kubernetes.io/name'] = 'other'; }],
  ['addresses', 'Service/upload', (it) => { named(it, 'Service', 'upload').spec.ports[0].targetPort = 'http'; }],
  ['ingress', 'Ingress/waybill', (it) => { delete named(it, 'Ingress', 'waybill').spec.tls; }],
  ['ingress', 'Ingress/waybill', (it) => { named(it, 'Ingress', 'waybill').spec.rules[0].http.paths[0].backend.service = { name: 'auth', port: { name: 'grpc' } }; }],
  ['ingress', 'Deployment/gateway', (it) => { config(it).data.WAYBILL__HTTP__TRUSTED_PROXIES = '0'; }],
  ['deny', 'NetworkPolicy/default-deny', (it) => { named(it, 'NetworkPolicy', 'default-deny').spec.egress = [{}]; }],
  ['deny', 'NetworkPolicy/default-deny', (it) => { without(it, named(it, 'NetworkPolicy', 'default-deny')); }],
];

test('every rule can fail, and then names the object', () => {
  for (const [rule, object, breakIt, overlay = 'prod'] of BROKEN) {
    const objects = render(overlay);
    breakIt(objects);
    const found = complaints(rule, objects, overlay);
    assert.ok(found.some((text) => text.startsWith(object)), `${rule}: ${breakIt} is not found: ${found.join('; ') || 'nothing'}`);
  }
  const tried = new Set(BROKEN.map(([rule]) => rule));
  assert.deepEqual(Object.keys(RULES).filter((rule) => !tried.has(rule)), [], 'rules that nothing breaks');
});

test('every workload of ours is a target, and every target is one', () => {
  const names = (overlay) => workloads(render(overlay)).filter(({ object }) => object.kind === 'Deployment').map(({ containers }) => containers[0].args.join(' '));
  assert.deepEqual(names('small'), ['serve']);
  assert.deepEqual(names('prod').toSorted(), names('dev').toSorted());
});

test('the adapter counts what waits for the consumers of a service once, however many replicas say it', () => {
  const { metric, target } = named(render('prod with every component'), 'HorizontalPodAutoscaler', 'drivers').spec.metrics[1].external;
  const { key, values } = metric.selector.matchExpressions[0];
  const query = ADAPTER.metricsQuery.replace('<<.Series>>', metric.name).replace('<<.LabelMatchers>>', `${key}=~"${values.join('|')}"`);
  const said = (consumer, service, instance, value) => `waybill_consumer_waiting{consumer="${consumer}",service="${service}",instance="${instance}"} ${value}`;
  const text = [
    said('drivers-deliveries', 'deliveries', 'a', 900), said('drivers-deliveries', 'deliveries', 'b', 910), said('drivers-settings', 'settings', 'a', 90),
    said('auth-drivers', 'drivers', 'c', 5000),
  ].join('\n');
  const [{ value }] = evaluate(readQuery(query), [{ at: 0, samples: samples(text) }], 0);
  assert.equal(value, 1000);
  assert.equal(Math.ceil(value / Number(target.averageValue)), 2, 'replicas that this asks for');
});

const ON_BACKUPS = [...Object.keys(POD_RULES), 'namespace', 'labels', 'priority', 'variables'];
/** Returns the job that the backup of a file creates. */
function jobOf(more) {
  const { metadata, spec } = named(more, 'CronJob', 'backup');
  return { kind: 'Job', metadata, spec: spec.jobTemplate.spec };
}

test('the backup obeys the rules of pods, and reaches Postgres and the bucket and nothing else', () => {
  const more = backup();
  const job = jobOf(more);
  const objects = [...render('prod'), ...more, job];
  assert.deepEqual(ON_BACKUPS.flatMap((rule) => complaints(rule, objects, 'prod')), []);
  const block = (name) => ({ address: named(objects, 'NetworkPolicy', `to-${name}`).spec.egress[0].to[0].ipBlock.cidr.split('/')[0] });
  const pod = { namespace: 'waybill', labels: job.spec.template.metadata.labels };
  const open = [['postgres', 5432], ['objects', 443], ['nats', 4222], ['redis', 6379]].filter(([name, port]) => reaches(objects, pod, block(name), port));
  assert.deepEqual(open.map(([name]) => name), ['postgres', 'objects']);
  const dev = render('dev');
  for (const [name, port] of [['postgres', 5432], ['s3', 8334]]) {
    assert.ok(reaches(dev, pod, { namespace: 'waybill', labels: named(dev, 'StatefulSet', name).spec.template.metadata.labels }, port), name);
  }
});

test('the backup of one process obeys the rules of pods, runs where its volume is, and reaches nothing', () => {
  const more = backup('backup-small.yaml');
  const job = jobOf(more);
  const objects = [...render('small'), ...more, job];
  assert.deepEqual(ON_BACKUPS.flatMap((rule) => complaints(rule, objects, 'small')), []);
  const { metadata, spec } = named(objects, 'Deployment', 'waybill').spec.template;
  const pod = job.spec.template;
  const volume = (of, name) => of.volumes.find((it) => it.name === name);
  assert.deepEqual(volume(pod.spec, 'data'), volume(spec, 'data'));
  assert.deepEqual(pod.spec.securityContext, spec.securityContext, 'the files belong to the account');
  const [where] = pod.spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution;
  assert.equal(where.topologyKey, 'kubernetes.io/hostname');
  assert.ok(matches(where.labelSelector, metadata.labels));
  const { selector } = named(objects, 'Service', 'waybill').spec;
  assert.ok(!matches({ matchLabels: selector }, pod.metadata.labels), 'people are not sent to a backup');
  const from = { namespace: 'waybill', labels: pod.metadata.labels };
  assert.ok(!reaches(objects, from, { address: '203.0.113.9' }, 443));
});

test('k8s/CHECKLIST.md names every rule, and no other', () => {
  const said = [...read('k8s/CHECKLIST.md').matchAll(/\brules? ((?:`\w+`(?:, )?)+)/g)].flatMap((match) => [...match[1].matchAll(/`(\w+)`/g)].map((it) => it[1]));
  assert.deepEqual([...new Set(said)].toSorted(), Object.keys(RULES).toSorted());
});
