// Writes the Kubernetes manifests of each target in a split deployment, and those of the single process for a
// small installation. What does not depend on the services is written by hand in k8s/.
import { read } from '../sources.mjs';
import { services, settings, shutdown, targets, variable } from './table.mjs';
import { documents, yaml } from './yaml.mjs';

/** The user that the image runs as. */
const USER = 65532;
/** The folder in which secrets are mounted, one file each. */
export const SECRETS = '/run/secrets/waybill';
/** The folder with the certificate of a target, under the names that cert-manager gives its files. */
export const CERTIFICATE = `${SECRETS}-tls`;
/** The file next to the secrets for servers whose certificates come from a private authority. */
export const AUTHORITY = 'ca.pem';
/** Seconds between the removal from the Service and the stop signal. */
const PRE_STOP = 5;
/**
 * CPU, memory and room for temporary files. CPU has no limit, because throttling would slow the slowest
 * requests even more. On a full node, containers share the CPU in proportion to their requests.
 */
const SIZES = {
  all: { cpu: '500m', memory: '256Mi', limit: '1Gi', files: '2Gi' },
  gateway: { cpu: '250m', memory: '128Mi', limit: '512Mi', files: '6Gi' },
  upload: { cpu: '250m', memory: '192Mi', limit: '768Mi', files: '2Gi' },
  auth: { cpu: '250m', memory: '128Mi', limit: '512Mi', files: '128Mi' },
  service: { cpu: '250m', memory: '128Mi', limit: '512Mi', files: '256Mi' },
  migration: { cpu: '100m', memory: '64Mi', limit: '512Mi', files: '64Mi' },
};
const REPLICAS = { gateway: { least: 2, most: 6 }, service: { least: 2, most: 4 } };

const port = (key) => Number(settings().get(key));
const labels = (name, component) => ({
  'app.kubernetes.io/name': name,
  'app.kubernetes.io/part-of': 'waybill',
  'app.kubernetes.io/component': component,
});
const selector = (name) => ({ 'app.kubernetes.io/name': name, 'app.kubernetes.io/part-of': 'waybill' });
const reaching = (servers) => Object.fromEntries(servers.map((server) => [`reaches-${server}`, 'true']));
/** What services send to the outside. Components open the way by these labels. */
const SENDS = { auth: ['mail'], deliveries: ['webhooks'] };
const sending = (kinds = []) => Object.fromEntries(kinds.map((kind) => [`sends-${kind}`, 'true']));
const component = (target) => (target.gateway ? 'gateway' : 'service');

/** Returns the secrets that a target reads, each with the setting that names its file. */
export function secretsOf(target) {
  const files = { service_secret: 'auth.service_secret_file' };
  if (target.servers.includes('postgres')) files.database_url = 'database.url_file';
  if (target.servers.includes('nats')) files.nats_url = 'bus.url_file';
  if (target.servers.includes('redis')) files.redis_url = 'cache.url_file';
  if (target.servers.includes('objects')) {
    files.s3_access_key = 'blob.access_key_file';
    files.s3_secret_key = 'blob.secret_key_file';
  }
  return files;
}

/** Returns the bytes that one export may write to disk. Two at once leave an eighth of the volume to other temporary files. */
const exportBytes = ({ files }) => String((Number.parseInt(files, 10) * 2 ** 30 * 7) / 16);

function environment(target) {
  const files = Object.entries(secretsOf(target)).map(([secret, key]) => ({ name: variable(key), value: `${SECRETS}/${secret}` }));
  // A target that stores no files needs no bucket.
  const bucket = target.servers.includes('objects') ? [{ name: variable('blob.kind'), value: 's3' }] : [];
  // A pod that fills the volume with its temporary files is evicted.
  const exports = target.gateway ? [{ name: variable('http.max_export_bytes'), value: exportBytes(SIZES.gateway) }] : [];
  return [...files, ...bucket, ...exports, { name: 'TOKIO_WORKER_THREADS', value: '2' }];
}

function resources(size) {
  return {
    requests: { cpu: size.cpu, memory: size.memory, 'ephemeral-storage': '64Mi' },
    limits: { memory: size.limit, 'ephemeral-storage': size.files },
  };
}

const containerSecurity = {
  allowPrivilegeEscalation: false,
  readOnlyRootFilesystem: true,
  capabilities: { drop: ['ALL'] },
};

function podSecurity() {
  return {
    runAsNonRoot: true,
    runAsUser: USER,
    runAsGroup: USER,
    fsGroup: USER,
    fsGroupChangePolicy: 'OnRootMismatch',
    seccompProfile: { type: 'RuntimeDefault' },
  };
}

/** Seconds in which the single process must have copied and upgraded its databases, and started. */
const UPGRADE = 1800;

/** `start` is the number of seconds after which a process that did not start is restarted. */
function probes(start = 120) {
  const get = (path) => ({ httpGet: { path, port: 'ops' }, timeoutSeconds: 3 });
  return {
    startupProbe: { ...get('/livez'), periodSeconds: 2, failureThreshold: start / 2 },
    livenessProbe: { ...get('/livez'), periodSeconds: 10, failureThreshold: 3 },
    // The process itself waits for three failures of a dependency before it reports one.
    readinessProbe: { ...get('/readyz'), periodSeconds: 5, failureThreshold: 1, successThreshold: 1 },
  };
}

/** Returns the seconds that a stop may take from beginning to end, with some to spare. */
function gracePeriod() {
  const { drain, finish } = shutdown();
  return PRE_STOP + port('ops.stop_delay_seconds') + drain + finish + 10;
}

function spread(name) {
  const constraint = (topologyKey) => ({
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'ScheduleAnyway',
    labelSelector: { matchLabels: selector(name) },
    matchLabelKeys: ['pod-template-hash'],
  });
  const term = { labelSelector: { matchLabels: selector(name) }, topologyKey: 'kubernetes.io/hostname' };
  return {
    topologySpreadConstraints: ['topology.kubernetes.io/zone', 'kubernetes.io/hostname'].map(constraint),
    affinity: { podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: term }] } },
  };
}

function pod({ account, container, size, volumes, mounts, more = {} }) {
  return {
    serviceAccountName: account,
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    securityContext: podSecurity(),
    ...more,
    containers: [
      {
        name: 'waybill',
        image: 'waybill',
        imagePullPolicy: 'IfNotPresent',
        ...container,
        resources: resources(size),
        securityContext: containerSecurity,
        volumeMounts: [...mounts, { name: 'tmp', mountPath: '/tmp' }],
      },
    ],
    volumes: [...volumes, { name: 'tmp', emptyDir: { sizeLimit: size.files } }],
  };
}

const secretVolume = (target, more = {}) => ({ name: 'secrets', secret: { secretName: `waybill-${target.name}`, defaultMode: 0o440, ...more } });
const secretMount = { name: 'secrets', mountPath: SECRETS, readOnly: true };
const certificateVolume = (target) => ({ name: 'certificate', secret: { secretName: `waybill-${target.name}-tls`, defaultMode: 0o440 } });
const certificateMount = { name: 'certificate', mountPath: CERTIFICATE, readOnly: true };
const publicPorts = () => [
  { name: 'http', containerPort: port('http.port') },
  { name: 'ingest', containerPort: port('ingest.port') },
];
const opsPort = () => ({ name: 'ops', containerPort: port('ops.port') });

function account(name) {
  return {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, labels: labels(name, 'account') },
    automountServiceAccountToken: false,
  };
}

function deployment(target) {
  const { name } = target;
  const size = SIZES[name] ?? SIZES.service;
  const ports = target.gateway ? publicPorts() : [{ name: 'grpc', containerPort: port('grpc.port') }];
  const template = {
    metadata: {
      labels: {
        ...labels(name, component(target)),
        ...reaching(target.servers),
        ...sending(SENDS[name]),
        'receives-browsers': target.gateway ? 'true' : undefined,
      },
    },
    spec: pod({
      account: name,
      size,
      container: {
        args: ['serve', '--target', name],
        envFrom: [{ configMapRef: { name: 'waybill' } }],
        env: environment(target),
        ports: [...ports, opsPort()],
        ...probes(),
        lifecycle: { preStop: { sleep: { seconds: PRE_STOP } } },
      },
      volumes: [secretVolume(target), certificateVolume(target)],
      mounts: [secretMount, certificateMount],
      more: { priorityClassName: 'waybill', terminationGracePeriodSeconds: gracePeriod(), ...spread(name) },
    }),
  };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labels(name, component(target)) },
    spec: {
      replicas: REPLICAS[component(target)].least,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: 900,
      minReadySeconds: 10,
      strategy: { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
      selector: { matchLabels: selector(name) },
      template,
    },
  };
}

/** Callers resolve the name for each new connection, so that replicas share the work. */
function internalService(target) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: target.name, labels: labels(target.name, 'service') },
    spec: {
      clusterIP: 'None',
      selector: selector(target.name),
      ports: [{ name: 'grpc', port: port('grpc.port'), targetPort: 'grpc', appProtocol: 'https' }],
    },
  };
}

function publicService(name) {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'waybill', labels: labels(name, 'gateway') },
    spec: {
      selector: selector(name),
      ports: publicPorts().map((it) => ({ name: it.name, port: it.containerPort, targetPort: it.name })),
    },
  };
}

function budget(name, part) {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, labels: labels(name, part) },
    spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow', selector: { matchLabels: selector(name) } },
  };
}

/**
 * The rules for who may call the target, and whom it may call. Its servers are selected by label:
 * k8s/README.md.
 */
function network(target, all) {
  const grpc = [{ protocol: 'TCP', port: port('grpc.port') }];
  const pods = (names) => names.map((name) => ({ podSelector: { matchLabels: selector(name) } }));
  const callers = all.filter((other) => other.reaches.includes(target.name)).map((other) => other.name);
  return {
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: target.name, labels: labels(target.name, 'network') },
    spec: {
      podSelector: { matchLabels: selector(target.name) },
      policyTypes: ['Ingress', 'Egress'],
      // A rule with an empty list would allow everybody.
      ingress: callers.length ? [{ from: pods(callers), ports: grpc }] : undefined,
      egress: target.reaches.length ? [{ to: pods(target.reaches), ports: grpc }] : undefined,
    },
  };
}

/** The job that upgrades one service's database, with the service's own role. */
function migration(target) {
  const name = `migrate-${target.name}`;
  return {
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name, labels: labels(name, 'migration') },
    spec: {
      backoffLimit: 6,
      activeDeadlineSeconds: 900,
      ttlSecondsAfterFinished: 3600,
      template: {
        metadata: { labels: { ...labels(name, 'migration'), ...reaching(['postgres']) } },
        spec: pod({
          account: target.name,
          size: SIZES.migration,
          container: {
            args: ['migrate', '--target', target.name],
            envFrom: [{ configMapRef: { name: 'waybill' } }],
            env: environment(target),
          },
          volumes: [secretVolume(target)],
          mounts: [secretMount],
          more: { restartPolicy: 'Never', priorityClassName: 'waybill' },
        }),
      },
    },
  };
}

function scaling(target) {
  const { least, most } = REPLICAS[component(target)];
  return {
    apiVersion: 'autoscaling/v2',
    kind: 'HorizontalPodAutoscaler',
    metadata: { name: target.name, labels: labels(target.name, component(target)) },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target.name },
      minReplicas: least,
      maxReplicas: most,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 65 } } }],
      behavior: { scaleDown: { stabilizationWindowSeconds: 300 } },
    },
  };
}

/** How many events may wait per replica before another replica is added. */
const WAITING_EACH = 500;

/** Makes the autoscaler of each service with consumers also follow how many events wait for them. */
function scalingByLag() {
  const patches = services().filter((row) => row.follows.length > 0).map((row) => {
    const consumers = [...new Set(row.follows.map((it) => it.consumer))].toSorted();
    const metric = {
      type: 'External',
      external: {
        metric: { name: 'waybill_consumer_waiting', selector: { matchExpressions: [{ key: 'consumer', operator: 'In', values: consumers }] } },
        target: { type: 'AverageValue', averageValue: String(WAITING_EACH) },
      },
    };
    return { target: { kind: 'HorizontalPodAutoscaler', name: row.name }, patch: yaml([{ op: 'add', path: '/spec/metrics/-', value: metric }]) };
  });
  return `# Beside autoscaling: consumers by the events that wait for them, whichever asks for more. It takes an adapter in the
# cluster that serves the metric: adapter.yaml.
${yaml({ apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component', patches })}`;
}

function objectsOf(target, all) {
  const shared = [account(target.name), deployment(target), budget(target.name, component(target)), network(target, all)];
  return target.gateway
    ? [...shared, publicService(target.name)]
    : [...shared, internalService(target), migration(target)];
}

/** Everything in one process, on a volume that only one process can use at a time. */
function small() {
  const name = 'waybill';
  const size = SIZES.all;
  const spec = pod({
    account: name,
    size,
    container: {
      args: ['serve'],
      envFrom: [{ configMapRef: { name } }],
      env: [{ name: 'TOKIO_WORKER_THREADS', value: '2' }],
      ports: [...publicPorts(), opsPort()],
      ...probes(UPGRADE),
      lifecycle: { preStop: { sleep: { seconds: PRE_STOP } } },
    },
    // It makes its own secrets, so this one is only for components.
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'waybill-data' } }, secretVolume({ name: 'all' }, { optional: true })],
    mounts: [{ name: 'data', mountPath: '/data' }, secretMount],
    more: { priorityClassName: 'waybill', terminationGracePeriodSeconds: gracePeriod() },
  });
  const made = {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, labels: labels(name, 'all') },
    spec: {
      replicas: 1,
      revisionHistoryLimit: 3,
      progressDeadlineSeconds: UPGRADE + 100,
      minReadySeconds: 10,
      strategy: { type: 'Recreate' },
      selector: { matchLabels: selector(name) },
      template: { metadata: { labels: { ...labels(name, 'all'), ...sending(Object.values(SENDS).flat()), 'receives-browsers': 'true' } }, spec },
    },
  };
  const claim = {
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: { name: 'waybill-data', labels: labels(name, 'data') },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '20Gi' } } },
  };
  return [account(name), claim, made, budget(name, 'all'), publicService(name)];
}

const README = 'k8s/README.md';

/**
 * Returns the README with the number of connections that Postgres must allow: those of all replicas, and some
 * for people and backups.
 */
function readme() {
  const sentence = /(`max_connections` of at least )\d+/;
  const page = read(README);
  if (!sentence.test(page)) throw new Error(`${README} does not say how many connections Postgres must allow`);
  return page.replace(sentence, `$1${connections() + 20}`);
}

const HEAD = '# Rendered by scripts/deployments.mjs from the table of services; do not edit.\n';

/** Returns every rendered manifest by its path. */
export function manifests() {
  const all = targets();
  const files = new Map();
  for (const target of all) files.set(`k8s/base/${target.name}.yaml`, HEAD + documents(objectsOf(target, all)));
  const resourceFiles = ['../common', ...all.map((target) => `${target.name}.yaml`)];
  files.set('k8s/base/kustomization.yaml', HEAD + documents([{
    apiVersion: 'kustomize.config.k8s.io/v1beta1',
    kind: 'Kustomization',
    resources: resourceFiles,
    configMapGenerator: [{ name: 'waybill', envs: ['config.env'] }],
  }]));
  files.set('k8s/components/autoscaling/scaling.yaml', HEAD + documents(all.map(scaling)));
  files.set('k8s/components/scaling-by-lag/kustomization.yaml', HEAD + scalingByLag());
  files.set('k8s/single/waybill.yaml', HEAD + documents(small()));
  files.set(README, readme());
  return files;
}

/** Returns how many connections to Postgres one replica may open: those of its pool, and one that checks readiness. */
export const connectionsOf = (pool) => pool + 1;

/** Returns how many connections to Postgres all replicas together may open during a rollout. */
export function connections() {
  const replicas = REPLICAS.service.most + 1;
  return services().length * replicas * connectionsOf(port('database.max_connections'));
}
