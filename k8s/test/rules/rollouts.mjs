// Rules about how workloads are rolled out, spread, scaled and stopped.
import { parse } from 'yaml';
import { connections, connectionsOf } from '../../../scripts/deployments/kubernetes.mjs';
import { services, shutdown } from '../../../scripts/deployments/table.mjs';
import { read } from '../../../scripts/sources.mjs';
import { effective, isOurs, matches, named, ofKind, title, workloads } from '../manifests.mjs';

const ours = (objects) => workloads(objects).filter(({ object }) => object.kind === 'Deployment' && isOurs(object));
const scalerOf = (objects, object) =>
  ofKind(objects, 'HorizontalPodAutoscaler').find((it) => it.spec.scaleTargetRef.name === object.metadata.name);
export const ADAPTER = parse(read('k8s/components/scaling-by-lag/adapter.yaml')).externalRules[0];
const isAlone = (labels) => labels['app.kubernetes.io/component'] === 'all';

function* replicas(objects, overlay) {
  for (const { object, title: it, labels, pod } of ours(objects)) {
    const { spec } = object;
    if (isAlone(labels)) {
      if (spec.replicas !== 1 || spec.strategy.type !== 'Recreate') yield `${it}: two processes may write to its files at once`;
      const claim = pod.volumes.find((volume) => volume.persistentVolumeClaim)?.persistentVolumeClaim.claimName;
      const modes = claim && named(objects, 'PersistentVolumeClaim', claim)?.spec.accessModes;
      if (JSON.stringify(modes) !== '["ReadWriteOnce"]') yield `${it}: has no volume of its own`;
      continue;
    }
    const scaler = scalerOf(objects, object);
    const least = overlay === 'dev' ? 1 : 2;
    if (scaler && spec.replicas !== undefined) yield `${it}: its replicas fight with the autoscaler`;
    if (!((scaler ? scaler.spec.minReplicas : spec.replicas) >= least)) yield `${it}: fewer than ${least} replicas`;
  }
}

function* rollout(objects) {
  for (const { object, title: it, labels } of ours(objects)) {
    const { spec } = object;
    const { maxUnavailable, maxSurge } = spec.strategy.rollingUpdate ?? {};
    if (!isAlone(labels) && (maxUnavailable !== 0 || maxSurge !== 1)) yield `${it}: a roll-out takes away a replica before there is a new one`;
    if (!(spec.minReadySeconds >= 5)) yield `${it}: minReadySeconds is below 5`;
    if (!spec.progressDeadlineSeconds) yield `${it}: a roll-out never fails`;
    if (!(spec.revisionHistoryLimit <= 5)) yield `${it}: keeps too many revisions`;
    if (!matches(spec.selector, labels)) yield `${it}: does not select its own pods`;
  }
}

function* budgets(objects) {
  for (const { title: it, labels } of ours(objects)) {
    const budget = ofKind(objects, 'PodDisruptionBudget').filter((one) => matches(one.spec.selector, labels));
    if (budget.length !== 1) yield `${it}: has ${budget.length} budgets`;
    for (const { metadata, spec } of budget) {
      if (spec.maxUnavailable !== 1) yield `PodDisruptionBudget/${metadata.name}: maxUnavailable is not 1`;
      if (spec.unhealthyPodEvictionPolicy !== 'AlwaysAllow') yield `PodDisruptionBudget/${metadata.name}: what is unhealthy cannot be evicted`;
    }
  }
}

function* spread(objects, overlay) {
  for (const { title: it, labels, pod } of ours(objects)) {
    if (isAlone(labels)) continue;
    const over = (key) => (pod.topologySpreadConstraints ?? []).find((constraint) => constraint.topologyKey === key);
    const zone = over('topology.kubernetes.io/zone');
    const node = over('kubernetes.io/hostname');
    if (zone?.whenUnsatisfiable !== 'ScheduleAnyway') yield `${it}: not spread over zones`;
    const strict = overlay === 'dev' ? 'ScheduleAnyway' : 'DoNotSchedule';
    if (node?.whenUnsatisfiable !== strict) yield `${it}: not spread over nodes`;
    for (const constraint of [zone, node].filter(Boolean)) {
      if (!constraint.matchLabelKeys?.includes('pod-template-hash')) yield `${it}: counts pods of the revision before`;
      if (!matches(constraint.labelSelector, labels)) yield `${it}: spreads other pods`;
    }
    if (!pod.affinity?.podAntiAffinity) yield `${it}: no anti-affinity`;
  }
}

function* scaling(objects, overlay) {
  if (!overlay.startsWith('prod')) return;
  for (const { object, title: it } of ours(objects)) {
    const scaler = scalerOf(objects, object);
    if (!scaler) {
      yield `${it}: has no autoscaler`;
      continue;
    }
    const { metrics, behavior, maxReplicas, minReplicas } = scaler.spec;
    const cpu = metrics.find((metric) => metric.resource?.name === 'cpu')?.resource.target.averageUtilization;
    if (!(cpu >= 60 && cpu <= 70)) yield `${title(scaler)}: scales at ${cpu} % of CPU, not at 60 to 70`;
    if (!(maxReplicas > minReplicas)) yield `${title(scaler)}: never scales`;
    if (!(behavior?.scaleDown?.stabilizationWindowSeconds >= 300)) yield `${title(scaler)}: scales down within five minutes`;
  }
}

/**
 * With the component, each service scales by the events that wait for its own consumers, under the name that
 * the adapter serves.
 */
function* lag(objects, overlay) {
  if (overlay !== 'prod with every component') return;
  for (const { name, follows } of services()) {
    const scaler = named(objects, 'HorizontalPodAutoscaler', name);
    const found = (scaler?.spec.metrics ?? []).filter((metric) => metric.type === 'External').map(({ external }) => external);
    const consumers = [...new Set(follows.map((it) => it.consumer))].toSorted();
    const [{ metric, target } = {}] = found;
    const [{ key, operator, values } = {}] = metric?.selector.matchExpressions ?? [];
    const isRight = found.length === 1 && metric.name === ADAPTER.seriesQuery && key === 'consumer' && operator === 'In'
      && JSON.stringify(values) === JSON.stringify(consumers) && Number(target.averageValue) > 0;
    if (consumers.length > 0 && !isRight) yield `HorizontalPodAutoscaler/${name}: does not scale by what waits for ${consumers}`;
  }
}

/**
 * The number of connections that k8s/README.md requires of Postgres is enough for all replicas, and one more
 * of each during a rollout.
 */
function* pools(objects, overlay) {
  if (!overlay.startsWith('prod')) return;
  let all = 0;
  for (const { object, containers, labels } of ours(objects)) {
    if (!labels['reaches-postgres']) continue;
    const replicas = (scalerOf(objects, object)?.spec.maxReplicas ?? object.spec.replicas) + 1;
    all += replicas * connectionsOf(Number(effective(objects, containers[0], 'database.max_connections')));
  }
  const said = Number(read('k8s/README.md').match(/`max_connections` of at least (\d+)/)?.[1]);
  // Some connections are for people and for backups.
  if (!(said >= all + 10) || connections() !== all) yield `Deployment/*: ${all} connections and 10 more, and k8s/README.md says ${said}`;
}

function* stop(objects) {
  const { drain, finish } = shutdown();
  for (const { title: it, pod, containers, labels } of ours(objects)) {
    const [container] = containers;
    const sleep = container.lifecycle?.preStop?.sleep?.seconds;
    if (!(sleep >= 5 && sleep <= 10)) yield `${it}: does not wait 5 to 10 seconds before it is stopped`;
    const notice = isAlone(labels) ? 0 : Number(effective(objects, container, 'ops.stop_delay_seconds'));
    const needed = (sleep ?? 0) + notice + drain + finish + 5;
    if (!(pod.terminationGracePeriodSeconds >= needed)) yield `${it}: is killed before the ${needed} seconds that a stop may take`;
  }
}

/** Each part waits longer than the part that it calls, so that the latter gives up first, with a reason. */
function* timeouts(objects) {
  for (const { title: it, containers } of ours(objects)) {
    const seconds = (key) => Number(effective(objects, containers[0], key));
    const nested = [25, seconds('http.timeout_seconds'), seconds('grpc.timeout_seconds'), seconds('database.statement_timeout_seconds')];
    if (nested.some((value, at) => at > 0 && !(value < nested[at - 1]))) yield `${it}: time-outs do not nest: ${nested.join(', ')}`;
  }
}

function* migrations(objects, overlay) {
  if (overlay.startsWith('small')) return;
  const jobs = workloads(objects).filter(({ object }) => object.kind === 'Job' && isOurs(object));
  for (const { name } of services()) {
    const job = jobs.find(({ object }) => object.metadata.name === `migrate-${name}`);
    if (!job) {
      yield `Job/migrate-${name}: is missing`;
      continue;
    }
    const { spec } = job.object;
    if (!(spec.backoffLimit > 0)) yield `${job.title}: is not tried again`;
    // A migration waits up to ten minutes for another one.
    if (!(spec.activeDeadlineSeconds > 600)) yield `${job.title}: ends before it has waited for another one`;
    if (!spec.ttlSecondsAfterFinished) yield `${job.title}: stays for ever`;
    if (job.containers[0].args.join(' ') !== `migrate --target ${name}`) yield `${job.title}: does ${job.containers[0].args.join(' ')}`;
  }
  const more = jobs.length - services().length;
  if (more !== 0) yield `Job/*: ${more} migrations of no service`;
}

export const ROLLOUT_RULES = { replicas, rollout, budgets, spread, scaling, lag, pools, stop, timeouts, migrations };
