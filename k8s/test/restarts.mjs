// Restarts each target many times, as a kubelet does, under continuous load. `just restarts` runs this; every test run
// does a few restarts (cluster.test.mjs).
//   node restarts.mjs TIMES RATE [TARGET...]
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { targets } from '../../scripts/deployments/table.mjs';
import { Cluster } from './cluster.mjs';
import { Ingress } from './ingress.mjs';

const [times, rate, ...chosen] = process.argv.slice(2);
const all = targets().map(({ name }) => name);
for (const name of chosen) assert.ok(all.includes(name), `there is no target ${name}`);

test(`${times} restarts of each target at ${rate} requests a second`, async (t) => {
  const cluster = await Cluster.begin(t, 'quick');
  await cluster.open('keeper', 'a long pass phrase');
  const ingress = new Ingress(cluster);
  await ingress.signIn('keeper', 'a long pass phrase');
  const end = ingress.begin(Number(rate));
  const began = Date.now();
  try {
    for (let round = 1; round <= Number(times); round++) {
      await cluster.rollAll(chosen.length > 0 ? chosen : all, 4);
      const seconds = Math.round((Date.now() - began) / 1000);
      console.log(`${round} of ${times} after ${seconds} s: ${ingress.sent} requests, ${ingress.failures.length} failed`);
      // Stop after fifty failures, because more would show nothing new.
      assert.ok(ingress.failures.length < 50, ingress.failures.slice(0, 50).join('\n'));
    }
  } finally {
    await end();
  }
  console.log(ingress.report());
  const reached = ingress.sent / ((Date.now() - began) / 1000);
  assert.ok(reached >= 0.9 * Number(rate), `${reached.toFixed(0)} requests a second were sent, not ${rate}: the machine is too busy to show anything`);
  assert.deepEqual(ingress.failures, []);
});
