// What deployments need to know of the product, read from its sources: the services and their order from
// services/waybill/src/target.rs, who follows whose events from proto/src/events.rs, settings and their
// defaults from services/kit/defaults.toml. What cannot be read is an error, never left out.
import { read } from '../sources.mjs';

const TARGETS = 'services/waybill/src/target.rs';
const EVENTS = 'proto/src/events.rs';
const DEFAULTS = 'services/kit/defaults.toml';
const SHUTDOWN = 'services/kit/src/lifecycle.rs';

function need(condition, text) {
  if (!condition) throw new Error(text);
}

/** The name that a crate gives to its service. */
function nameOf(crate) {
  const source = read(`services/${crate}/src/lib.rs`);
  const name = source.match(/^pub const NAME: &str = "([a-z][a-z0-9]*)";$/m)?.[1];
  need(name, `services/${crate}/src/lib.rs has no NAME`);
  return name;
}

/** The rows of the table of services, in the order of their start. */
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

/** Subscriptions by the name of their consumer: who follows, and the services that emit. */
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

/** The keys of every setting with the text of its default. */
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

/** The name of a setting in the environment. */
export function variable(key) {
  return `WAYBILL__${key.replaceAll('.', '__').toUpperCase()}`;
}

/** Seconds that requests, and then workers, get when a process stops. */
export function shutdown() {
  const seconds = (name) => {
    const found = read(SHUTDOWN).match(new RegExp(String.raw`^const ${name}: Duration = Duration::from_secs\((\d+)\);$`, 'm'));
    need(found, `${SHUTDOWN}: no ${name}`);
    return Number(found[1]);
  };
  return { drain: seconds('DRAIN'), finish: seconds('FINISH') };
}

/**
 * The services in the order of their start. `follows` has a row for each consumer: the service whose stream it reads.
 * `reaches` are the services that it calls: auth for its keys, those its row names, and those that answer for
 * events which the broker lost.
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

/** Subjects that the gateway watches for open screens. */
export function watched() {
  return subscriptions().filter((event) => event.watched)
    .flatMap((event) => event.emitting.map((service) => `waybill.${service}.${event.name}`));
}

/** What every target of a split deployment needs: the gateway, then the services in the order of their start. */
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
