// Creates values that match a schema of the driver API's document, and values that break one of its rules.
import fc from 'fast-check';

/** @typedef {Record<string, any>} Schema */

/** Text that no person would type: any character except unpaired surrogates. */
const text = fc.string({ unit: 'binary', maxLength: 40 });
const instant = fc.date({ min: new Date('0001-01-01'), max: new Date('9999-12-31'), noInvalidDate: true });
const FORMATS = {
  uuid: fc.uuid(),
  date: instant.map((date) => date.toISOString().slice(0, 10)),
  'date-time': instant.map((date) => date.toISOString()),
};

/** Returns generators of values that a schema allows. `known` are ids to try where text is expected. */
export function generator(document, known) {
  const resolve = (schema) =>
    schema.$ref ? resolve(document.components.schemas[schema.$ref.split('/').at(-1)]) : schema;

  function values(given, name) {
    const schema = resolve(given);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    if (schema.oneOf) return fc.oneof(...schema.oneOf.map((one) => values(one, name)));
    if (Array.isArray(schema.type)) {
      return fc.oneof(...schema.type.map((type) => values({ ...schema, type }, name)));
    }
    const { minimum, minItems = 0, maxItems = 4, format } = schema;
    switch (schema.type) {
      case 'null':
        return fc.constant(null);
      case 'boolean':
        return fc.boolean();
      case 'integer':
        return fc.integer({ min: minimum ?? -(2 ** 31), max: 2 ** 31 - 1 });
      case 'number':
        return fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer({ min: -180, max: 180 }));
      case 'string':
        return FORMATS[format] ?? (known[name] ? fc.oneof(fc.constantFrom(...known[name]), text) : text);
      case 'array':
        return fc.array(values(schema.items, name), { minLength: minItems, maxLength: Math.min(maxItems, minItems + 3) });
      case 'object':
        return object(schema);
      default:
        throw new Error(`a schema of a kind that is not generated: ${JSON.stringify(schema)}`);
    }
  }

  function object({ properties = {}, required = [], additionalProperties }) {
    const fields = Object.entries(properties).map(([name, schema]) => [name, values(schema, name)]);
    if (fields.length > 0) return fc.record(Object.fromEntries(fields), { requiredKeys: required });
    return fc.dictionary(text, additionalProperties ? values(additionalProperties, '') : fc.jsonValue(), { maxKeys: 4 });
  }

  return (schema) => values(schema, '');
}

/** Returns a copy of an object with one fault: an unknown field, or a value of another type. */
export function broken(value, choice) {
  const copy = structuredClone(value);
  const places = [];
  const visit = (object) => {
    for (const [key, inner] of Object.entries(object)) {
      places.push(() => (object[key] = typeof inner === 'object' ? 'text' : { of: 'another type' }));
      if (inner && typeof inner === 'object') visit(inner);
    }
    if (!Array.isArray(object)) places.push(() => (object['no such field'] = 1));
  };
  visit(copy);
  places[choice % places.length]();
  return copy;
}
