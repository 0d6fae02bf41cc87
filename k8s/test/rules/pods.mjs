// Rules about each pod: the rows "pod security", "resources" and "secrets" of the checklist.
import { effective, environment, isOurs, named, ofKind, title, workloads } from '../manifests.mjs';

const VOLUMES = ['configMap', 'emptyDir', 'persistentVolumeClaim', 'secret', 'projected', 'downwardAPI', 'csi', 'ephemeral'];

function* restricted(objects) {
  for (const { title: it, pod, containers } of workloads(objects)) {
    const security = pod.securityContext ?? {};
    if (security.runAsNonRoot !== true) yield `${it}: runAsNonRoot is not set`;
    if (!(security.runAsUser > 0) || !(security.runAsGroup > 0)) yield `${it}: no numeric user and group other than 0`;
    if (security.seccompProfile?.type !== 'RuntimeDefault') yield `${it}: seccomp is not RuntimeDefault`;
    for (const host of ['hostNetwork', 'hostPID', 'hostIPC']) if (pod[host]) yield `${it}: ${host}`;
    for (const volume of pod.volumes ?? []) {
      if (!VOLUMES.some((kind) => volume[kind])) yield `${it}: volume ${volume.name} is of a kind that is not allowed`;
    }
    for (const container of containers) {
      const own = container.securityContext ?? {};
      if (own.allowPrivilegeEscalation !== false) yield `${it}: ${container.name} may escalate privileges`;
      if (own.privileged || own.runAsUser === 0 || own.runAsNonRoot === false) yield `${it}: ${container.name} is privileged`;
      if (JSON.stringify(own.capabilities) !== '{"drop":["ALL"]}') yield `${it}: ${container.name} keeps capabilities`;
      if ((container.ports ?? []).some((port) => port.hostPort)) yield `${it}: ${container.name} takes a port of the host`;
    }
  }
}

function* readOnly(objects) {
  for (const { title: it, pod, containers } of workloads(objects)) {
    for (const container of containers) {
      if (container.securityContext?.readOnlyRootFilesystem !== true) yield `${it}: ${container.name} can write to its root`;
    }
    for (const volume of pod.volumes ?? []) {
      if (volume.emptyDir && !volume.emptyDir.sizeLimit) yield `${it}: ${volume.name} has no size limit`;
    }
  }
}

function* accounts(objects) {
  const users = new Map();
  for (const { title: it, object, pod } of workloads(objects)) {
    if (pod.automountServiceAccountToken !== false) yield `${it}: mounts a token`;
    if (!named(objects, 'ServiceAccount', pod.serviceAccountName)) yield `${it}: account ${pod.serviceAccountName} is missing`;
    if (object.kind !== 'Job') {
      const other = users.get(pod.serviceAccountName);
      if (other) yield `${it}: shares its account with ${other}`;
      users.set(pod.serviceAccountName, it);
    }
  }
  for (const account of ofKind(objects, 'ServiceAccount')) {
    if (account.automountServiceAccountToken !== false) yield `${title(account)}: mounts tokens`;
  }
  for (const role of ofKind(objects, 'Role', 'ClusterRole', 'RoleBinding', 'ClusterRoleBinding')) yield `${title(role)}: nothing of ours needs a role`;
}

const bytes = (text) => Number.parseFloat(text) * (text.endsWith('Gi') ? 2 ** 30 : 2 ** 20);
const cores = (text) => (text.endsWith('m') ? Number(text.slice(0, -1)) / 1000 : Number(text));

function* resources(objects) {
  for (const { object, title: it, pod, containers } of workloads(objects)) {
    for (const container of containers) {
      const { requests = {}, limits = {} } = container.resources ?? {};
      if (!requests.cpu || !requests.memory) yield `${it}: ${container.name} requests no CPU or no memory`;
      if (!limits.memory) yield `${it}: ${container.name} has no limit of memory`;
      if (limits.cpu) yield `${it}: ${container.name} has a limit of CPU, which throttles`;
      if (!isOurs(object) || !requests.cpu) continue;
      // A gateway writes exports below the folder of its data. Two run at once.
      const files = (pod.volumes ?? []).find(({ name }) => name === 'tmp')?.emptyDir?.sizeLimit;
      const isGateway = (container.ports ?? []).some(({ name }) => name === 'http');
      if (isGateway && effective(objects, container, 'data') === '/tmp') {
        const needed = 2 * Number(effective(objects, container, 'http.max_export_bytes'));
        for (const limit of [files, limits['ephemeral-storage']]) {
          if (!(bytes(limit ?? '0Mi') > needed)) yield `${it}: two exports of ${needed / 2} bytes do not fit into ${limit}`;
        }
      }
      const threads = Number(environment(objects, container).get('TOKIO_WORKER_THREADS'));
      const least = Math.max(2, Math.ceil(cores(requests.cpu)));
      if (!(threads >= least && threads <= 4 * least)) yield `${it}: ${threads} threads for ${requests.cpu} of CPU`;
    }
  }
}

function* images(objects, overlay) {
  for (const { title: it, containers } of workloads(objects)) {
    for (const { image, imagePullPolicy } of containers) {
      const digest = /@sha256:[0-9a-f]{64}$/.test(image);
      if (overlay !== 'dev' && !digest) yield `${it}: ${image} has no digest`;
      if (!digest && (!/:[\w.-]+$/.test(image) || image.endsWith(':latest'))) yield `${it}: ${image} may be any release`;
      if (imagePullPolicy !== 'IfNotPresent') yield `${it}: ${image} is pulled ${imagePullPolicy}`;
    }
  }
}

/** Returns the bits of entropy per letter, based on the letters of the text itself. */
function entropy(text) {
  const counts = [...text].reduce((all, letter) => all.set(letter, (all.get(letter) ?? 0) + 1), new Map());
  return [...counts.values()].reduce((sum, count) => sum - (count / text.length) * Math.log2(count / text.length), 0);
}
const looksSecret = (text) =>
  /:\/\/[^/\s:@]*:[^/\s@]+@/.test(text) || text.split(/[^\w+=-]+/).some((word) => word.length >= 24 && /\d/.test(word) && entropy(word) > 3.5);

function* secrets(objects) {
  for (const object of ofKind(objects, 'Secret')) yield `${title(object)}: secrets are made elsewhere`;
  for (const map of ofKind(objects, 'ConfigMap')) {
    for (const [key, value] of Object.entries(map.data ?? {})) if (looksSecret(value)) yield `${title(map)}: ${key} looks like a secret`;
  }
  for (const { object, title: it, pod, containers } of workloads(objects)) {
    for (const container of containers) {
      if ((container.env ?? []).some((variable) => variable.valueFrom) || (container.envFrom ?? []).some((source) => source.secretRef)) {
        yield `${it}: ${container.name} has secrets in its environment`;
      }
      const texts = [...(container.args ?? []), ...(container.command ?? []), ...(container.env ?? []).map((variable) => variable.value ?? '')];
      if (texts.some(looksSecret)) yield `${it}: ${container.name} is started with what looks like a secret`;
    }
    // The one process is the target "all".
    const own = `waybill-${object.metadata.name.replace(/^migrate-/, '').replace(/^waybill$/, 'all')}`;
    // A migration neither serves nor calls a service, so it has no certificate.
    const allowed = object.kind === 'Job' ? [own] : [own, `${own}-tls`];
    for (const { secret } of pod.volumes ?? []) {
      if (!secret) continue;
      if (isOurs(object) && !allowed.includes(secret.secretName)) yield `${it}: reads ${secret.secretName}, and its own is ${own}`;
      if (secret.defaultMode !== 0o440) yield `${it}: ${secret.secretName} is readable for others`;
    }
  }
}

/**
 * No service without TLS: it has its own certificate, calls others by https, and takes nobody without. Nor does
 * telemetry leave in the clear.
 */
function* encryption(objects, overlay) {
  if (overlay.startsWith('small')) return;
  for (const { object, title: it, pod, containers: [container] } of workloads(objects)) {
    if (!isOurs(object) || object.kind === 'Job') continue;
    const secret = `waybill-${object.metadata.name}-tls`;
    const volume = (pod.volumes ?? []).find((candidate) => candidate.secret?.secretName === secret);
    const mount = (container.volumeMounts ?? []).find((candidate) => candidate.name === volume?.name);
    for (const key of ['grpc.certificate_file', 'grpc.key_file', 'grpc.authority_file']) {
      const file = effective(objects, container, key);
      if (!volume || !mount || !file.startsWith(`${mount.mountPath}/`)) yield `${it}: ${key} is ${file || 'not set'}, which is not from ${secret}`;
    }
    if (!effective(objects, container, 'peers.url').startsWith('https://')) yield `${it}: calls are not encrypted`;
    if (effective(objects, container, 'grpc.allow_plaintext') !== 'false') yield `${it}: takes calls that are not encrypted`;
    if (effective(objects, container, 'telemetry.otlp_endpoint').startsWith('http://')) yield `${it}: telemetry is not encrypted`;
  }
}

/**
 * A probe uses a port that the program really opens, and an address whose response means what the probe is
 * for.
 */
function* probes(objects) {
  for (const { object, title: it, containers } of workloads(objects)) {
    if (object.kind === 'Job') continue;
    for (const container of containers) {
      const ports = new Map((container.ports ?? []).map((port) => [port.name, port.containerPort]));
      const wanted = { startupProbe: '/livez', livenessProbe: '/livez', readinessProbe: '/readyz' };
      for (const [name, path] of Object.entries(wanted)) {
        const probe = container[name];
        if (!probe) yield `${it}: no ${name}`;
        if (!probe || !isOurs(object)) continue;
        if (probe.httpGet?.path !== path) yield `${it}: ${name} asks ${probe.httpGet?.path}, not ${path}`;
        // With files of its own, the process upgrades them before it answers.
        const isSingle = (object.spec.template.spec.volumes ?? []).some((volume) => volume.persistentVolumeClaim);
        if (isSingle && name === 'startupProbe' && probe.periodSeconds * probe.failureThreshold < 1800) yield `${it}: an upgrade has less than half an hour`;
        if (ports.get(probe.httpGet?.port) !== Number(effective(objects, container, 'ops.port'))) yield `${it}: ${name} asks a port without probes`;
      }
      if (isOurs(object) && effective(objects, container, 'ops.host') !== '0.0.0.0') yield `${it}: probes are answered on loopback only`;
    }
  }
}

export const POD_RULES = { restricted, readOnly, accounts, resources, images, secrets, encryption, probes };
