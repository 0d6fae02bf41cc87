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

test('a discriminator maps each value that its variants take', async () => {
  const document = await (await fetch(`${url}/driver/v1/openapi.json`)).json();
  const resolve = (schema) => (schema.$ref ? document.components.schemas[schema.$ref.split('/').at(-1)] : schema);
  const unions = Object.entries(document.components.schemas).filter(([, { discriminator }]) => discriminator);
  assert.ok(unions.length > 0);
  for (const [name, { discriminator: { propertyName, mapping }, oneOf }] of unions) {
    // Without a mapping, clients send the name of the variant's schema.
    const taken = oneOf.flatMap((variant) =>
      resolve(resolve(variant).properties[propertyName]).enum.map((value) => [value, variant.$ref]),
    );
    assert.deepEqual(mapping, Object.fromEntries(taken), name);
  }
});
