// Prints the Secrets for a test cluster, from the folder that deploy/secrets.sh filled:
//   node scripts/deployments/secrets.mjs FOLDER | kubectl apply --namespace waybill -f -
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { certificateOf, sourceOf } from './compose.mjs';
import { AUTHORITY, secretsOf } from './kubernetes.mjs';
import { targets } from './table.mjs';
import { documents } from './yaml.mjs';

const [folder] = process.argv.slice(2);
if (!folder || !existsSync(folder)) {
  console.error('usage: node scripts/deployments/secrets.mjs FOLDER, the one that deploy/secrets.sh filled');
  process.exit(2);
}

function secret(name, files) {
  const data = Object.entries(files).map(([key, file]) => [key, readFileSync(join(folder, file)).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name }, type: 'Opaque', data: Object.fromEntries(data) };
}

const all = targets();
const ofTargets = all.map((target) => {
  const keys = [...Object.keys(secretsOf(target)), AUTHORITY];
  return secret(`waybill-${target.name}`, Object.fromEntries(keys.map((key) => [key, sourceOf(target, key)])));
});
const certificates = all.map((target) => secret(`waybill-${target.name}-tls`, {
  'tls.crt': certificateOf(target, 'tls.crt'), 'tls.key': certificateOf(target, 'tls.key'), 'ca.crt': AUTHORITY,
}));
const passwords = all.filter((target) => !target.gateway).map((target) => `${target.name}_database_password`);
const same = (names) => Object.fromEntries(names.map((name) => [name, name]));
const ofBackup = Object.fromEntries(['database_url', 's3_access_key', 's3_secret_key'].map((key) => [key, `backup_${key}`]));
process.stdout.write(documents([
  ...ofTargets,
  ...certificates,
  secret('waybill-backup', { ...ofBackup, [AUTHORITY]: AUTHORITY }),
  secret('waybill-servers-postgres', same(['postgres_password', 'postgres.crt', 'postgres.key', ...passwords])),
  secret('waybill-servers-nats', same(['nats.conf', 'nats.crt', 'nats.key'])),
  secret('waybill-servers-redis', same(['redis_password', 'redis.crt', 'redis.key'])),
  secret('waybill-servers-s3', same(['s3.json', 's3.crt', 's3.key'])),
]));
