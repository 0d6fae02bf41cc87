// Writes the parts as a bill of materials, in CycloneDX 1.5.
import { randomUUID } from 'node:crypto';
import { read } from '../sources.mjs';
import { spdx } from './licences.mjs';

const TYPES = { crate: 'library', package: 'library', library: 'library', font: 'file', data: 'data' };
const ECOSYSTEMS = { crate: 'cargo', package: 'npm' };

function component({ kind, name, version, licence, url, hash }) {
  const system = ECOSYSTEMS[kind];
  const purl = system && `pkg:${system}/${name.replace('@', '%40')}@${version.replaceAll('+', '%2B')}`;
  return {
    type: TYPES[kind], name, version, ...(purl && { 'bom-ref': purl, purl }),
    licenses: [{ expression: spdx(licence) }],
    ...(hash?.content && { hashes: [hash] }),
    ...(url && { externalReferences: [{ type: 'vcs', url }] }),
  };
}

/** Returns the text of the file for these parts. `when` is an instant. */
export function sbom(all, when) {
  const version = read('Cargo.toml').match(/^version = "(.+)"$/m)[1];
  const ref = `pkg:generic/waybill@${version}`;
  const components = all.map(component);
  return `${JSON.stringify({
    bomFormat: 'CycloneDX', specVersion: '1.5', serialNumber: `urn:uuid:${randomUUID()}`, version: 1,
    metadata: { timestamp: when.toISOString(), component: { type: 'application', 'bom-ref': ref, name: 'waybill', version, purl: ref } },
    components,
  }, null, 1)}\n`;
}
