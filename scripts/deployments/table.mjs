// Reads from the sources what deployments need to know about the product: the services in order from
// services/waybill/src/target.rs, the consumers of events from proto/src/events.rs, and settings with their
// defaults from services/kit/defaults.toml. What cannot be read is an error, and never left out.
import { read } from '../sources.mjs';

const TARGETS = 'services/waybill/src/target.rs';
const EVENTS = 'proto/src/events.rs';
const DEFAULTS = 'services/kit/defaults.toml';
const SHUTDOWN = 'services/kit/src/lifecycle.rs';

function need(condition, text) {
  if (!condition) throw new Error(text);
}

/** Returns the name that a crate gives to its service. */
function nameOf(crate) {
  const source = read(`services/${crate}/src/lib.rs`);
  const name = source.match(/^pub const NAME: &str = "([a-z][a-z0-9]*)";$/m)?.[1];
  need(name, `services/${crate}/src/lib.rs has no NAME`);
  return name;
}

/** Returns the rows of the table of services, in the order in which they start. */
function rows() {
  const source = read(TARGETS);
  const table = source.match(/^pub static SERVICES: &\[Row\] = &\[\n([\s\S]*?)^\];$/m)?.[1];
  need(table, `${TARGETS}: no table of services`);
  const found = [...table.matchAll(/^ {4}Row \{\n([\s\S]*?)^ {4}\},$/gm)].map((match) => match[1]);
  need(found.length === [...table.matchAll(/\bRow \{/g)].length, `${TARGETS}: a row looks unlike the others`);
  return found.map((row) => {
    const field = (name, pattern) => {
      const value = row.match(new RegExp(`^ {8}${name}: ${pattern},$`, 'm'))?.[1];
      need(value !== undefined, `${TARGETS}: cannot read "${name}" of\n${row}`);
      return value;
    };
    const calls = [...field('calls', String.raw`&\[([^\]]*)\]`).matchAll(/(\w+)::NAME/g)];
    return {
      name: nameOf(field('name', String.raw`(\w+)::NAME`)),
      calls: calls.map((match) => nameOf(match[1])),
      keepsObjects: field('keeps_objects', '(true|false)') === 'true',
      answersForEvents: field('answers_for_events', '(true|false)') === 'true',
    };
  });
}

/**
 * Returns the subscriptions by the name of the consumer: the consuming service, and the services that emit
 * the event.
 */
function subscriptions() {
  const registry = read(EVENTS).match(/^events! \{\n([\s\S]*?)^\}$/m)?.[1];
  need(registry, `${EVENTS}: no registry of events`);
  const entries = [...registry.matchAll(/^ {4}(\w+) \{\n([\s\S]*?)^ {4}\}$/gm)];
  return entries.flatMap(([, event, entry]) => {
    const owners = entry.match(/^ {8}owners: \[([^\]]*)\],$/m)?.[1];
    const consumers = entry.match(/^ {8}consumers: \{([\s\S]*?)\},$/m)?.[1];
    const name = entry.match(/^ {8}name: "([^"]+)",$/m)?.[1];
    const watched = entry.match(/^ {8}watched: (true|false),$/m)?.[1];
    need(owners && consumers !== undefined && name && watched, `${EVENTS}: cannot read ${event}`);
    const emitting = [...owners.matchAll(/"(\w+)"/g)].map((match) => match[1]);
    const readers = [...consumers.matchAll(/\w+: "([a-z-]+)" =>/g)].map((match) => match[1]);
    return [{ name, emitting, readers, watched: watched === 'true' }];
  });
}

/** Where the prefixes of object names are declared, which service owns each, and which others read it. */
const OBJECTS = [
  { owner: 'upload', file: 'services/upload/src/rpc.rs', constant: 'PREFIX', readers: [] },
  { owner: 'settings', file: 'services/settings/src/logo/mod.rs', constant: 'PUBLISHED', readers: ['deliveries', 'gateway'] },
  { owner: 'settings', file: 'services/settings/src/logo/mod.rs', constant: 'INCOMING', readers: [] },
  { owner: 'deliveries', file: 'services/deliveries/src/attachments/storage.rs', constant: 'UPLOADED', readers: [] },
  { owner: 'deliveries', file: 'services/deliveries/src/attachments/storage.rs', constant: 'KEPT', readers: [] },
];
/** The prefix that every service reads in order to check that the bucket exists. */
const PROBE = 'readiness/';

/** Returns, for each target, the prefixes of objects that it may write and read. */
export function objectRights() {
  const found = OBJECTS.map(({ file, constant, ...it }) => {
    const prefix = read(file).match(new RegExp(`^(?:pub )?const ${constant}: &str = "([a-z/]+/)";$`, 'm'))?.[1];
    need(prefix, `${file} has no ${constant}`);
    return { ...it, prefix };
  });
  return new Map(targets().filter((target) => target.keepsObjects).map(({ name }) => {
    const writes = found.filter((it) => it.owner === name).map((it) => it.prefix);
    const reads = [...found.filter((it) => it.readers.includes(name)).map((it) => it.prefix), PROBE];
    need(writes.length + reads.length > 1, `${TARGETS}: ${name} keeps objects, and OBJECTS of scripts/deployments/table.mjs does not say which`);
    // A prefix within another prefix need not be listed.
    const outermost = (all) => all.filter((it) => !all.some((other) => other !== it && it.startsWith(other)));
    return [name, { writes: outermost(writes), reads }];
  }));
}

/** Returns every setting with its default as text. */
export function settings() {
  const found = new Map();
  let section = '';
  for (const line of read(DEFAULTS).split('\n')) {
    const head = line.match(/^\[(\w+)\]$/);
    const key = line.match(/^(\w+) = (.+)$/);
    if (head) section = `${head[1]}.`;
    if (key) found.set(section + key[1], key[2].replace(/^"(.*)"$/, '$1'));
  }
  return found;
}

/** Returns the environment variable of a setting. */
export function variable(key) {
  return `WAYBILL__${key.replaceAll('.', '__').toUpperCase()}`;
}

/** Returns the seconds that requests, and then workers, get when a process stops, and its exit code after SIGTERM. */
export function shutdown() {
  const number = (name, pattern) => {
    const found = read(SHUTDOWN).match(new RegExp(`^const ${name}: ${pattern};$`, 'm'));
    need(found, `${SHUTDOWN}: no ${name}`);
    return Number(found[1]);
  };
  const seconds = String.raw`Duration = Duration::from_secs\((\d+)\)`;
  return { drain: number('DRAIN', seconds), finish: number('FINISH', seconds), terminated: number('TERMINATED', String.raw`i32 = (\d+)`) };
}

/**
 * Returns the services in the order in which they start. `follows` has a row for each consumer: the service
 * whose stream it reads. `reaches` lists the services that it calls: auth for its keys, those that its row
 * names, and those that it asks for events that the broker lost.
 */
export function services() {
  const all = rows();
  const events = subscriptions();
  const names = new Set(all.map((row) => row.name));
  for (const { emitting } of events) for (const name of emitting) need(names.has(name), `${EVENTS}: ${name} is no service`);
  return all.map((row) => {
    const follows = events.flatMap(({ emitting, readers }) =>
      readers.filter((reader) => reader.split('-')[0] === row.name)
        .flatMap((consumer) => emitting.map((service) => ({ service, consumer }))));
    const reached = new Set([all[0].name, ...row.calls, ...follows.map((it) => it.service)]);
    reached.delete(row.name);
    return { ...row, follows, reaches: [...reached].toSorted() };
  });
}

/** Returns the subjects that the gateway watches for open screens. */
export function watched() {
  return subscriptions().filter((event) => event.watched)
    .flatMap((event) => event.emitting.map((service) => `waybill.${service}.${event.name}`));
}

/**
 * Returns what every target of a split deployment needs: first the gateway, then the services in the order in
 * which they start.
 */
export function targets() {
  const all = services();
  const gateway = {
    name: 'gateway',
    gateway: true,
    keepsObjects: true,
    reaches: all.map((row) => row.name).toSorted(),
    servers: ['nats', 'redis', 'objects'],
  };
  const others = all.map((row) => ({ ...row, gateway: false, servers: ['postgres', 'nats', ...(row.keepsObjects ? ['objects'] : [])] }));
  return [gateway, ...others];
}
