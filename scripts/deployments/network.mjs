// Writes the table of docs/network.md: who may connect to whom in a cluster. The policies of k8s/ say the
// same, and the test of the manifests compares the two.
import { read } from '../sources.mjs';
import { settings, services, targets } from './table.mjs';

const PAGE = 'docs/network.md';
const WHY = { postgres: 'its own database', nats: 'events', redis: 'cache', objects: 'files' };

function rows() {
  const all = targets();
  const grpc = settings().get('grpc.port');
  const http = settings().get('http.port');
  const calls = all.flatMap((target) => target.reaches.map((name) => [target.name, name, grpc, reason(target, name)]));
  const stands = all.flatMap((target) => target.servers.map((server) => [target.name, server, server, WHY[server]]));
  const migrations = services().map((row) => [`migrate-${row.name}`, 'postgres', 'postgres', 'its tables']);
  return [['ingress', 'gateway', http, 'browsers and devices'], ...calls, ...stands, ...migrations];
}

function reason(target, name) {
  if (target.gateway) return 'requests of people';
  const reasons = [];
  if (name === services()[0].name) reasons.push('keys that verify tokens');
  if (target.calls.includes(name)) reasons.push('calls');
  if (target.follows.some((it) => it.service === name)) reasons.push('events that the broker lost');
  return reasons.join(', ');
}

/** Returns the page with a table of the current services. */
export function network() {
  const cells = rows().map(([from, to, port, why]) => `| ${from} | ${to} | ${/^\d+$/.test(port) ? port : `(${port})`} | ${why} |`);
  const table = ['| From | To | Port | What for |', '|---|---|---|---|', ...cells].join('\n');
  const page = read(PAGE);
  const marks = /(<!-- rendered by scripts\/deployments.mjs -->\n)[\s\S]*?(<!-- end -->)/;
  if (!marks.test(page)) throw new Error(`${PAGE} has no marks`);
  return new Map([[PAGE, page.replace(marks, (_, begin, end) => `${begin}${table}\n${end}`)]]);
}
