// The part of an S3 server that Waybill uses, with the identities of deploy/secrets.sh and the rules of SeaweedFS for
// them: signatures (version 4) in headers and in links, listing, reading, writing once, deleting one object. In SeaweedFS, deleting
// many objects in one request requires the right to the whole bucket, which nobody has. Tests use this server where
// SeaweedFS is not installed. It keeps everything in memory.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';
import { createServer as createSecureServer } from 'node:https';

const ALGORITHM = 'AWS4-HMAC-SHA256';
const hmac = (key, text) => createHmac('sha256', key).update(text).digest();
const sha256 = (bytes) => createHash('sha256').update(bytes).digest('hex');
const ACTIONS = { GET: 'Read', HEAD: 'Read', PUT: 'Write', DELETE: 'Write' };

/**
 * Returns the signature of a request. `signed` are the names of its signed headers, `when` is as in
 * x-amz-date.
 */
function signature({ secret, scope, when, method, path, query, headers, signed, payload }) {
  const pairs = query.split('&').filter((it) => it && !it.startsWith('X-Amz-Signature=')).map((it) => (it.includes('=') ? it : `${it}=`)).toSorted();
  const lines = signed.map((name) => `${name}:${String(headers[name] ?? '').trim()}\n`).join('');
  const canonical = [method, path, pairs.join('&'), lines, signed.join(';'), payload].join('\n');
  const key = scope.split('/').reduce((from, part) => hmac(from, part), `AWS4${secret}`);
  return hmac(key, [ALGORITHM, when, scope, sha256(canonical)].join('\n')).toString('hex');
}

/** Returns headers that sign a request of a test. */
export function sign(url, { access, secret }, method) {
  const { host, pathname, search } = new URL(url);
  const when = new Date().toISOString().replaceAll(/[-:]|\.\d+/g, '');
  const scope = `${when.slice(0, 8)}/us-east-1/s3/aws4_request`;
  const headers = { host, 'x-amz-content-sha256': 'UNSIGNED-PAYLOAD', 'x-amz-date': when };
  const signed = Object.keys(headers);
  const made = signature({ secret, scope, when, method, path: pathname, query: search.slice(1), headers, signed, payload: 'UNSIGNED-PAYLOAD' });
  return { ...headers, authorization: `${ALGORITHM} Credential=${access}/${scope}, SignedHeaders=${signed.join(';')}, Signature=${made}` };
}

/** Returns the identity that signed a request, or an error's name if the signature is missing or wrong. */
function signer(identities, { method, headers }, { pathname, search, searchParams }) {
  const link = searchParams.get('X-Amz-Credential');
  const [, credential, names, given] = link
    ? [0, link, searchParams.get('X-Amz-SignedHeaders'), searchParams.get('X-Amz-Signature')]
    : headers.authorization?.match(/^AWS4-HMAC-SHA256 Credential=(\S+), ?SignedHeaders=(\S+), ?Signature=(\S+)$/) ?? [];
  if (!credential || !given) return 'AccessDenied';
  const [access, ...rest] = credential.split('/');
  const identity = identities.find((it) => it.credentials.some((own) => own.accessKey === access));
  if (!identity) return 'InvalidAccessKeyId';
  const when = link ? searchParams.get('X-Amz-Date') : headers['x-amz-date'];
  const [, y, mo, d, h, mi, s] = when.match(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/) ?? [];
  const age = (Date.now() - Date.UTC(y, mo - 1, d, h, mi, s)) / 1000;
  if (!(age > -900 && age < (link ? Number(searchParams.get('X-Amz-Expires')) : 900))) return 'AccessDenied';
  const made = signature({
    secret: identity.credentials.find((own) => own.accessKey === access).secretKey, scope: rest.join('/'), when, method, path: pathname,
    query: search.slice(1), headers, signed: names.split(';'), payload: link ? 'UNSIGNED-PAYLOAD' : headers['x-amz-content-sha256'],
  });
  const [a, b] = [made, given].map((text) => Buffer.from(text));
  return a.length === b.length && timingSafeEqual(a, b) ? identity : 'SignatureDoesNotMatch';
}

/** Whether an identity may do this: everywhere, in a bucket, or for names with a prefix. */
function may({ actions }, action, bucket, key) {
  return actions.some((it) => it === 'Admin' || it === action || it === `${action}:${bucket}`
    || (it.endsWith('*') && `${action}:${bucket}/${key}`.startsWith(it.slice(0, -1))));
}

/** Returns the list of all objects, as for a request with list-type=2. */
function listed(bucket, objects) {
  const rows = [...objects].map(([key, { body, when }]) =>
    `<Contents><Key>${key}</Key><LastModified>${when.toISOString()}</LastModified><ETag>""</ETag><Size>${body.length}</Size></Contents>`);
  return `<ListBucketResult><Name>${bucket}</Name><Prefix/><KeyCount>${rows.length}</KeyCount><IsTruncated>false</IsTruncated>${rows.join('')}</ListBucketResult>`;
}

export class S3 {
  buckets = new Map();
  /** Every request so far: { identity, action, key, status, secure, isLink }. */
  log = [];

  constructor(identities) {
    this.identities = identities;
  }

  /** Listens on a port, with TLS if it gets a certificate and its key. */
  listen(t, port, tls) {
    const handle = (request, response) => { this.#handle(request, response, Boolean(tls)).catch((error) => response.destroy(error)); };
    const server = tls ? createSecureServer(tls, handle) : createServer(handle);
    // A client must not get a connection that is about to be closed.
    server.keepAliveTimeout = 0;
    t.after(() => { server.close(); server.closeAllConnections(); });
    return new Promise((resolve) => { server.listen(port, '127.0.0.1', resolve); });
  }

  async #handle(request, response, secure) {
    const url = new URL(request.url, 'http://s3');
    // Whether the server runs is shown to everybody.
    if (url.pathname === '/healthz') return response.writeHead(200).end();
    const pieces = [];
    for await (const piece of request) pieces.push(piece);
    const [, bucket, key] = url.pathname.match(/^\/([^/]+)(?:\/(.+))?$/) ?? [];
    const ofBucket = request.method === 'GET' ? 'List' : 'Admin';
    const action = key ? ACTIONS[request.method] : ofBucket;
    const identity = signer(this.identities, request, url);
    const answer = (status, headers = {}, body = undefined) => {
      this.log.push({ identity: identity.name ?? null, action, key, status, secure, isLink: url.searchParams.has('X-Amz-Credential') });
      response.writeHead(status, headers);
      response.end(body);
    };
    const refuse = (status, code) => answer(status, { 'content-type': 'application/xml' }, request.method === 'HEAD' ? undefined : `<Error><Code>${code}</Code></Error>`);
    if (typeof identity === 'string') return refuse(403, identity);
    if (!action || !may(identity, action, bucket, key)) return refuse(403, 'AccessDenied');
    const objects = this.buckets.get(bucket);
    if (!objects) return refuse(404, 'NoSuchBucket');
    if (!key) return answer(200, { 'content-type': 'application/xml' }, listed(bucket, objects));
    return this.#serve(request, url, { objects, key, body: Buffer.concat(pieces), answer, refuse });
  }

  #serve(request, { searchParams }, { objects, key, body, answer, refuse }) {
    const found = objects.get(key);
    const etag = (bytes) => `"${createHash('md5').update(bytes).digest('hex')}"`;
    if (request.method === 'PUT') {
      if (found && request.headers['if-none-match'] === '*') return refuse(412, 'PreconditionFailed');
      objects.set(key, { body, when: new Date() });
      return answer(200, { etag: etag(body) });
    }
    if (request.method === 'DELETE') {
      objects.delete(key);
      return answer(204);
    }
    if (!found) return refuse(404, 'NoSuchKey');
    const headers = {
      'content-length': found.body.length, 'last-modified': found.when.toUTCString(), etag: etag(found.body),
      'content-type': searchParams.get('response-content-type') ?? 'binary/octet-stream',
    };
    return answer(200, headers, request.method === 'HEAD' ? undefined : found.body);
  }
}
