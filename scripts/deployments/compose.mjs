// Writes the parts of deploy/ that list services. They are between marks, in files that are otherwise written
// by hand.
import { read } from '../sources.mjs';
import { AUTHORITY, secretsOf } from './kubernetes.mjs';
import { objectRights, services, targets, variable, watched } from './table.mjs';

/** Replaces the lines between the marks of this name. */
export function filled(text, path, name, lines) {
  const marks = new RegExp(`^( *)# <${name}>.*\\n(?:.*\\n)*?\\1# </${name}>$`, 'm');
  const found = text.match(marks);
  if (!found) throw new Error(`${path} has no marks for ${name}`);
  const pad = found[1];
  const inner = lines.map((line) => (line ? `${pad}${line}\n` : '\n')).join('');
  return text.replace(marks, () => `${pad}# <${name}> rendered by scripts/deployments.mjs\n${inner}${pad}# </${name}>`);
}

/** Secrets that each service has for itself. All other secrets are shared. */
const OWN = ['database_url', 'nats_url', 's3_access_key', 's3_secret_key'];

/** Returns the name of the file in deploy/secrets for a secret of a target. */
export function sourceOf(target, secret) {
  return OWN.includes(secret) ? `${target.name}_${secret}` : secret;
}

/** The certificate of a target, and its key. Only what serves or calls gets them: a migration does neither. */
const CERTIFICATE = ['tls.crt', 'tls.key'];

/** Returns the name of the file in deploy/secrets for a file of a target's certificate. */
export function certificateOf(target, file) {
  return file.replace('tls', target.name);
}

function secretList(target, certificate = []) {
  const own = [...Object.keys(secretsOf(target)), AUTHORITY].map((secret) => [sourceOf(target, secret), secret]);
  const files = certificate.map((file) => [certificateOf(target, file), file]);
  return [...own, ...files].map(([source, secret]) => (source === secret ? `      - ${secret}` : `      - { source: ${source}, target: ${secret} }`));
}

function environment(target) {
  const files = Object.entries(secretsOf(target));
  // A target that stores no files needs no bucket.
  const bucket = target.servers.includes('objects') ? [`      ${variable('blob.kind')}: s3`] : [];
  const secrets = files.map(([secret, key]) => `      ${variable(key)}: /run/secrets/${secret}`);
  return ['    environment:', '      <<: *environment', ...bucket, ...secrets];
}

const waits = (conditions) => ['    depends_on:', ...conditions.map(([name, state]) => `      ${name}: { condition: service_${state} }`)];

function migration(target) {
  return [
    `  migrate-${target.name}:`,
    '    <<: *migrate',
    `    command: [migrate, --target, ${target.name}]`,
    ...environment(target),
    '    secrets:',
    ...secretList(target),
    '',
  ];
}

function running(target) {
  const bucket = target.keepsObjects ? [['s3', 'healthy']] : [];
  const after = target.gateway
    ? [['auth', 'started'], ['redis', 'started'], ...bucket]
    : [[`migrate-${target.name}`, 'completed_successfully'], ['nats', 'started'], ...bucket];
  return [
    `  ${target.name}:`,
    '    <<: *waybill',
    `    command: [serve, --target, ${target.name}]`,
    ...environment(target),
    '    secrets:',
    ...secretList(target, CERTIFICATE),
    ...(target.gateway ? ['    # The second is for trackers.', '    ports: ["127.0.0.1:8080:8080", "127.0.0.1:5055:5055"]'] : []),
    ...waits(after),
    '',
  ];
}

function composition() {
  const path = 'deploy/compose.yaml';
  const all = targets();
  const withTables = all.filter((target) => !target.gateway);
  const blocks = [...withTables.flatMap(migration), ...withTables.flatMap(running), ...running(all[0])];
  const passwords = withTables.map((target) => `${target.name}_database_password`);
  const own = [
    ...passwords,
    ...withTables.map((target) => `${target.name}_database_url`),
    ...all.map((target) => `${target.name}_nats_url`),
    ...all.flatMap((target) => CERTIFICATE.map((file) => certificateOf(target, file))),
    ...all.filter((target) => target.keepsObjects).flatMap(({ name }) => [`${name}_s3_access_key`, `${name}_s3_secret_key`]),
  ];
  let text = filled(read(path), path, 'services', blocks.slice(0, -1).map((line) => line.replace(/^ {2}/, '')));
  text = filled(text, path, 'passwords', passwords.map((name) => `- ${name}`));
  return filled(text, path, 'secrets', own.map((name) => `${name}: { file: secrets/${name} }`));
}

function databases() {
  const path = 'deploy/databases.sh';
  return filled(read(path), path, 'services', [`services="${services().map((row) => row.name).join(' ')}"`]);
}

function secrets() {
  const path = 'deploy/secrets.sh';
  const all = services();
  const followed = all.filter((row) => row.follows.length > 0)
    .map((row) => `    ${row.name}) echo ${row.follows.map((it) => `${it.service}:${it.consumer}`).join(' ')} ;;`);
  let text = filled(read(path), path, 'services', [`services="${all.map((row) => row.name).join(' ')}"`]);
  const rights = [...objectRights()].map(([name, { writes, reads }]) =>
    `    ${name}) echo ${[...writes.flatMap((it) => [`Read:${it}`, `Write:${it}`]), ...reads.map((it) => `Read:${it}`)].join(' ')} ;;`);
  text = filled(text, path, 'objects', [`keepers="${[...objectRights().keys()].join(' ')}"`, 'objects() {', '  case $1 in', ...rights, '  esac', '}']);
  text = filled(text, path, 'followed', ['followed() {', '  case $1 in', ...followed, '  esac', '}']);
  return filled(text, path, 'watched', [`watched='${watched().map((subject) => `"${subject}"`).join(', ')}'`]);
}

/**
 * Returns the files of deploy/ with the current table of services, and the copies of scripts that the servers of
 * k8s/ mount.
 */
export function composed() {
  const script = databases();
  return new Map([
    ['deploy/compose.yaml', composition()],
    ['deploy/databases.sh', script],
    ['deploy/secrets.sh', secrets()],
    ['k8s/components/servers/databases.sh', script],
    ['k8s/components/servers/s3.sh', read('deploy/s3.sh')],
  ]);
}
