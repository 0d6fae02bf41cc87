// The minor versions of Kubernetes that the manifests are checked against, as named in
// docs/supported-versions.md.
import { read } from '../../scripts/sources.mjs';

/** Returns the versions, oldest first. */
export function minors() {
  const line = read('docs/supported-versions.md').match(/^\| Kubernetes \| ([\d., ]+) \|/m)?.[1];
  if (!line) throw new Error('docs/supported-versions.md has no row of Kubernetes');
  return line.split(',').map((it) => it.trim());
}
