import { expect, it } from 'vitest';
import { defineForm, emptyValues, inputOf, newOnly, valuesOf } from './define-form';
import { optionalDateTime, text, toggle } from './kinds';

const MANILA = 'Asia/Manila';

const definition = defineForm({
  texts: 'drivers',
  className: '',
  fields: {
    code: newOnly(text()),
    name: text(),
    phone: text({ optional: true }),
    seenAt: optionalDateTime(),
    isActive: toggle({ initially: true }),
  },
});

it('starts a new record empty, and sends all of it without spaces around', () => {
  const values = emptyValues(definition);
  expect(values).toEqual({ code: '', name: '', phone: '', seenAt: '', isActive: true });
  expect(inputOf(definition, { ...values, code: ' A1 ', name: ' Ana ' }, MANILA)).toEqual({
    code: 'A1',
    name: 'Ana',
    phone: null,
    seenAt: null,
    isActive: true,
  });
});

it('leaves out of a change what is chosen once, and takes away what was emptied', () => {
  const record = { name: 'Ana', phone: '0917', seenAt: '2026-11-20T07:01:25Z', isActive: false };
  const values = valuesOf(definition, record, MANILA);
  expect(values).toEqual({ name: 'Ana', phone: '0917', seenAt: '2026-11-20T15:01', isActive: false });
  // The boxes know no seconds: a time that nobody touched is sent as it was.
  expect(inputOf(definition, { ...values, phone: ' ' }, MANILA, record)).toEqual({
    name: 'Ana',
    phone: null,
    seenAt: '2026-11-20T07:01:25Z',
    isActive: false,
  });
});
