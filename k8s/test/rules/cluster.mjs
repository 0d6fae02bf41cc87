// Rules about what surrounds the pods: namespace, labels, names, services, ingress and configuration.
import { settings, targets, variable } from '../../../scripts/deployments/table.mjs';
import { effective, environment, isOurs, matches, named, ofKind, title, workloads } from '../manifests.mjs';

function* namespace(objects, overlay, { oldest }) {
  const space = named(objects, 'Namespace', 'waybill');
  for (const mode of ['enforce', 'warn', 'audit']) {
    const label = `pod-security.kubernetes.io/${mode}`;
    if (space?.metadata.labels[label] !== 'restricted') yield `Namespace/waybill: ${mode} is not restricted`;
    // A cluster that does not know the pinned version would use "latest", so pin the oldest supported one.
    if (space?.metadata.labels[`${label}-version`] !== `v${oldest}`) yield `Namespace/waybill: ${mode} is not pinned to v${oldest}`;
  }
  for (const object of objects) {
    const everywhere = ['Namespace', 'PriorityClass'].includes(object.kind);
    if (!everywhere && object.metadata.namespace !== 'waybill') yield `${title(object)}: lies outside the namespace`;
  }
}

function* labels(objects) {
  for (const object of objects) {
    const given = object.metadata.labels ?? {};
    // kustomize generates ConfigMaps from files, without labels.
    if (object.kind === 'ConfigMap') continue;
    if (!given['app.kubernetes.io/part-of']) yield `${title(object)}: does not say what it is part of`;
  }
  for (const { title: it, object, labels: own } of workloads(objects)) {
    if (own['app.kubernetes.io/name'] !== object.metadata.name) yield `${it}: its pods have another name`;
    if (!own['app.kubernetes.io/component']) yield `${it}: its pods do not say which component they are`;
  }
}

function* priority(objects) {
  for (const { title: it, object, pod } of workloads(objects)) {
    if (isOurs(object) && !named(objects, 'PriorityClass', pod.priorityClassName)) yield `${it}: has no priority`;
  }
}

/** A changed configuration gets another name, so that pods are replaced. */
function* configuration(objects) {
  for (const { title: it, containers } of workloads(objects)) {
    for (const source of containers.flatMap((container) => container.envFrom ?? [])) {
      const { name } = source.configMapRef;
      if (!/-[a-z0-9]{10}$/.test(name) || !named(objects, 'ConfigMap', name)) yield `${it}: ${name} does not change its name with what it says`;
    }
  }
}

function* variables(objects) {
  const known = new Set([...settings().keys()].map(variable));
  for (const { object, title: it, containers } of workloads(objects)) {
    if (!isOurs(object)) continue;
    for (const name of containers.flatMap((container) => [...environment(objects, container).keys()])) {
      if (name.startsWith('WAYBILL') && !known.has(name)) yield `${it}: there is no setting ${name}`;
    }
  }
}

function* ports(objects) {
  const settingOf = { http: 'http.port', grpc: 'grpc.port', ops: 'ops.port', ingest: 'ingest.port' };
  for (const { object, title: it, containers } of workloads(objects)) {
    if (!isOurs(object)) continue;
    for (const port of containers.flatMap((container) => container.ports ?? [])) {
      if (port.containerPort !== Number(effective(objects, containers[0], settingOf[port.name]))) yield `${it}: does not listen on ${port.containerPort} for ${port.name}`;
    }
  }
}

/** Each service has a name that callers resolve themselves. Only the gateway has an address. */
function* addresses(objects, overlay) {
  const pods = workloads(objects).filter(({ object }) => object.kind !== 'Job');
  for (const service of ofKind(objects, 'Service')) {
    const behind = pods.filter(({ labels: own }) => matches({ matchLabels: service.spec.selector }, own));
    if (behind.length !== 1) yield `${title(service)}: has ${behind.length} workloads behind it`;
    const open = behind.flatMap(({ containers }) => containers[0].ports.map((port) => port.name));
    for (const port of service.spec.ports) if (!open.includes(port.targetPort)) yield `${title(service)}: nobody listens on ${port.targetPort}`;
    if (!['ClusterIP', undefined].includes(service.spec.type)) yield `${title(service)}: is open to the outside`;
  }
  if (overlay.startsWith('small')) return;
  for (const target of targets().filter((it) => !it.gateway)) {
    const service = named(objects, 'Service', target.name);
    if (service?.spec.clusterIP !== 'None') yield `Service/${target.name}: calls are not balanced over replicas`;
    const peers = workloads(objects).filter(({ object }) => isOurs(object)).map(({ containers }) => effective(objects, containers[0], 'peers.url'));
    const wanted = `https://{service}:${service?.spec.ports[0].port}`;
    if (peers.some((url) => url !== wanted)) yield `Service/${target.name}: callers look for it at ${peers.find((url) => url !== wanted)}`;
  }
}

function* ingress(objects) {
  for (const it of ofKind(objects, 'Ingress')) {
    const hosts = it.spec.rules.map((rule) => rule.host);
    const secured = (it.spec.tls ?? []).flatMap((tls) => tls.hosts);
    if (hosts.length === 0 || hosts.some((host) => !host || !secured.includes(host))) yield `${title(it)}: a host without TLS`;
    for (const { backend } of it.spec.rules.flatMap((rule) => rule.http.paths)) {
      const service = named(objects, 'Service', backend.service.name);
      const [behind] = workloads(objects).filter(({ labels: own }) => service && matches({ matchLabels: service.spec.selector }, own));
      if (behind?.labels['receives-browsers'] !== 'true' || backend.service.port.name !== 'http') yield `${title(it)}: leads to ${backend.service.name}, port ${backend.service.port.name}`;
      if (behind && Number(effective(objects, behind.containers[0], 'http.trusted_proxies')) !== 1) yield `${behind.title}: does not believe exactly one proxy`;
    }
  }
}

function* deny(objects) {
  const all = ofKind(objects, 'NetworkPolicy').find((it) => it.metadata.name === 'default-deny');
  const good = all && Object.keys(all.spec.podSelector).length === 0 && !all.spec.ingress && !all.spec.egress
    && JSON.stringify(all.spec.policyTypes) === '["Ingress","Egress"]';
  if (!good) yield 'NetworkPolicy/default-deny: does not deny everything to everybody';
}

export const CLUSTER_RULES = { namespace, labels, priority, configuration, variables, ports, addresses, ingress, deny };
