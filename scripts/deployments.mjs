// Writes the parts of deployments that follow from the table of services: Kubernetes manifests, the files of deploy/,
// and the table of who may connect to whom.
//   node scripts/deployments.mjs [--check]
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { composed } from './deployments/compose.mjs';
import { manifests } from './deployments/kubernetes.mjs';
import { network } from './deployments/network.mjs';
import { read, root } from './sources.mjs';

const check = process.argv.includes('--check');
const files = new Map([...manifests(), ...composed(), ...network()]);

/** Rendered files of services that no longer exist. */
const left = readdirSync(join(root, 'k8s/base'))
  .map((name) => `k8s/base/${name}`)
  .filter((path) => !files.has(path) && read(path).startsWith('# Rendered by scripts/deployments.mjs'));

const wrong = [...files].filter(([path, text]) => !existsSync(join(root, path)) || read(path) !== text);
for (const [path, text] of check ? [] : wrong) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
}
for (const path of check ? [] : left) rmSync(join(root, path));

if (check && wrong.length + left.length > 0) {
  for (const [path] of wrong) console.error(`${path} is not what the table of services says`);
  for (const path of left) console.error(`${path} is of a service that is gone`);
  console.error('run: node scripts/deployments.mjs');
  process.exit(1);
}
