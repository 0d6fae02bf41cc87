// A certificate for calls between services that is its own authority, for tests of a single process.
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';

const CONFIG = `[req]
distinguished_name = name
x509_extensions = own
[name]
[own]
basicConstraints = critical, CA:FALSE
extendedKeyUsage = serverAuth, clientAuth
subjectAltName = DNS:localhost, IP:127.0.0.1
subjectKeyIdentifier = none
`;

/** Makes a certificate that is valid for some days in a folder. Returns the environment that names its files. */
export function certificate(folder, days) {
  const path = (name) => join(folder, name);
  writeFileSync(path('request'), CONFIG);
  execFileSync('openssl', [
    'req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-subj', '/CN=test', '-days', String(days),
    '-config', path('request'), '-keyout', path('tls.key'), '-out', path('tls.crt'),
  ], { stdio: 'ignore' });
  return {
    WAYBILL__GRPC__CERTIFICATE_FILE: path('tls.crt'), WAYBILL__GRPC__KEY_FILE: path('tls.key'), WAYBILL__GRPC__AUTHORITY_FILE: path('tls.crt'),
  };
}
