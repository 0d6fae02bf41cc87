// The minors of Kubernetes that manifests are held against: docs/supported-versions.md names them.
import { read } from '../../scripts/sources.mjs';

/** Oldest first. */
export function minors() {
  const line = read('docs/supported-versions.md').match(/^\| Kubernetes \| ([\d., ]+) \|/m)?.[1];
  if (!line) throw new Error('docs/supported-versions.md has no row of Kubernetes');
  return line.split(',').map((it) => it.trim());
}
