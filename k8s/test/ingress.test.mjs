import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { Ingress } from './ingress.mjs';

/** Starts a gateway that has the files of one build only. Returns its port and the paths that were requested. */
async function gateway(t, build) {
  const requests = [];
  const page = `<link href="/assets/font-${build}.woff2"><script src="/theme.js"></script>
    <script type="module" src="/assets/index-${build}.js"></script><link rel="stylesheet" href="/assets/index-${build}.css">`;
  const server = createServer(({ url }, response) => {
    requests.push(url);
    const isMissing = url.startsWith('/assets/') && !url.includes(`-${build}.`);
    response.writeHead(isMissing ? 404 : 200).end(url === '/' ? page : url);
  });
  await new Promise((resolve) => { server.listen(0, '127.0.0.1', resolve); });
  t.after(() => { server.close(); server.closeAllConnections(); });
  return { port: server.address().port, requests };
}

test('a visit loads the page with its scripts and style sheets', async (t) => {
  const { port, requests } = await gateway(t, 'new');
  const ingress = new Ingress({ endpoints: new Map([['gateway', [port]]]) }, []);
  await ingress.visit();
  assert.deepEqual([ingress.failures, ingress.reloads], [[], 0]);
  assert.deepEqual(requests.toSorted(), ['/', '/assets/index-new.css', '/assets/index-new.js', '/theme.js']);
});

test('a visit during a roll-out is loaded again until its files are there', async (t) => {
  const [old, next] = [await gateway(t, 'old'), await gateway(t, 'new')];
  const gateways = [old.port, next.port];
  const ingress = new Ingress({ endpoints: new Map([['gateway', gateways]]) }, [100]);
  const visit = ingress.visit();
  setTimeout(() => gateways.shift(), 50);
  await visit;
  assert.deepEqual([ingress.failures, ingress.reloads], [[], 1]);
});

test('files that stay missing are a failure', async (t) => {
  const [old, next] = [await gateway(t, 'old'), await gateway(t, 'new')];
  // The page always comes from the old build, its files never do.
  const ingress = new Ingress({ endpoints: new Map([['gateway', [old.port, next.port, next.port, next.port]]]) }, [1, 1]);
  await ingress.visit();
  assert.deepEqual(ingress.failures, ['the application: Error: missing after 2 reloads: /assets/index-old.js,/assets/index-old.css']);
});
