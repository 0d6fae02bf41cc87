// The document of the driver API is valid OpenAPI, because apps and clients are generated from it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Validator } from '@seriousme/openapi-schema-validator';
import { url } from '../support/clients.mjs';

test('the document of the driver API is OpenAPI', async () => {
  const document = await (await fetch(`${url}/driver/v1/openapi.json`)).json();
  const validator = new Validator();
  const { valid, errors } = await validator.validate(structuredClone(document));
  assert.ok(valid, JSON.stringify(errors, null, 2));
  assert.match(validator.version, /^3[.]1/);
  const operations = Object.values(document.paths).flatMap((verbs) => Object.values(verbs));
  const ids = operations.map(({ operationId }) => operationId);
  assert.ok(ids.every(Boolean));
  assert.equal(new Set(ids).size, ids.length, `an id twice: ${ids}`);
});
