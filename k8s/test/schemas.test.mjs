// The API server of each supported minor version would accept what the overlays render, with unknown fields
// refused.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { backup, named, OVERLAYS, render } from './manifests.mjs';
import { minors } from './schemas.mjs';

const script = fileURLToPath(new URL('validate.py', import.meta.url));
const python = process.env.WAYBILL_K8S_PYTHON ?? 'python3';

function run(args, input) {
  const { status, stdout, stderr } = spawnSync(python, [script, ...args], { input, encoding: 'utf8', maxBuffer: 1 << 26 });
  assert.equal(status, 0, stderr);
  return stdout;
}
const findings = (objects) => run(minors(), JSON.stringify(objects)).split('\n').filter(Boolean);

test('the supported minors are the last three', () => {
  assert.deepEqual(minors(), JSON.parse(run(['newest'])).slice(-3));
});

test('every overlay and the backups are valid for each of them', () => {
  assert.deepEqual(findings([...Object.keys(OVERLAYS).flatMap((overlay) => render(overlay)), ...backup(), ...backup('backup-small.yaml')]), []);
});

test('an unknown field, a wrong type and a kind that is gone are found', () => {
  const wrong = render('prod');
  named(wrong, 'Deployment', 'auth').spec.template.spec.containers[0].livenessProb = {};
  named(wrong, 'Deployment', 'upload').spec.minReadySeconds = 'ten';
  named(wrong, 'PodDisruptionBudget', 'auth').apiVersion = 'policy/v1beta1';
  const found = findings(wrong);
  for (const [object, text] of [['Deployment/auth', 'livenessProb'], ['Deployment/upload', 'minReadySeconds'], ['PodDisruptionBudget/auth', 'does not exist']]) {
    assert.equal(found.filter((line) => line.includes(object) && line.includes(text)).length, minors().length, `${object}: ${found.join('\n')}`);
  }
});
