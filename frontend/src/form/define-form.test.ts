import { expect, it } from 'vitest';
import {
  convertTimes,
  emptyValues,
  inputOf,
  mergeValues,
  newOnly,
  type PartsField,
  placeErrors,
  restoreValues,
  valuesOf,
} from './define-form';
import { optionalDateTime, text, toggle } from './kinds';

const MANILA = 'Asia/Manila';

const definition = {
  fields: {
    code: newOnly(text()),
    name: text(),
    phone: text({ optional: true }),
    seenAt: optionalDateTime(),
    isActive: toggle({ initially: true }),
  },
};

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
  // The inputs drop seconds, but an unedited time is sent unchanged.
  expect(inputOf(definition, { ...values, phone: ' ' }, MANILA, record)).toEqual({
    name: 'Ana',
    phone: null,
    seenAt: '2026-11-20T07:01:25Z',
    isActive: false,
  });
});

it('converts times to another time zone: unedited ones from the record, and others as they were entered', () => {
  const amsterdam = 'Europe/Amsterdam';
  // This time of day occurs twice in Amsterdam, and this is the second one.
  const record = { name: 'Ana', phone: null, seenAt: '2026-10-25T01:30:12Z', isActive: true };
  const values = valuesOf(definition, record, amsterdam);
  expect(values.seenAt).toBe('2026-10-25T02:30');
  const convert = (seenAt: unknown) => convertTimes(definition, { ...values, seenAt }, amsterdam, MANILA, record);
  expect(convert(values.seenAt)).toEqual({ seenAt: '2026-10-25T09:30' });
  expect(convert('2026-11-20T22:00')).toEqual({ seenAt: '2026-11-21T05:00' });
  expect(convert('2026-11-T22:00')).toEqual({ seenAt: '2026-11-T22:00' });
});

/** A form field for one half of a name. On the server, the name is a single field. */
const half = (at: 0 | 1): PartsField<string, { fullName: string }, object> => ({
  ...text(),
  parts: at === 0 ? ['fullName'] : [],
  fill: ({ fullName }) => fullName.split(' ')[at] ?? '',
  send: (value, { values }) => (at === 0 ? { fullName: `${value} ${String(values.last)}` } : {}),
});
const person = {
  fields: { first: half(0), last: half(1), phone: text({ optional: true }) },
};

it('reads and sends two fields that the server has as one, and shows its errors at the first', () => {
  const values = valuesOf(person, { fullName: 'Ana Cruz', phone: null }, MANILA);
  expect(values).toEqual({ first: 'Ana', last: 'Cruz', phone: '' });
  expect(inputOf(person, { ...values, last: 'Reyes' }, MANILA)).toEqual({ fullName: 'Ana Reyes', phone: null });
  const fields = { fullName: ['is taken'], phone: ['is odd'], first: ['too'] };
  expect(placeErrors(person, { kind: 'input', message: '', fields }).fields).toEqual({
    first: ['is taken', 'too'],
    phone: ['is odd'],
  });
});

it('keeps what was typed and takes over what others changed', () => {
  const before = { name: 'Ana', point: { lat: 1 }, phone: '1' };
  expect(mergeValues(before, { ...before, name: 'Anna' }, { name: 'Ann', point: { lat: 2 }, phone: '1' })).toEqual({
    name: 'Anna',
    point: { lat: 2 },
    phone: '1',
  });
});

it('restores the values that their fields accept', () => {
  const values = { first: 'Ana', last: 'Cruz', phone: '0917' };
  expect(restoreValues(person, values)).toEqual(values);
  expect(restoreValues(person, { last: 'Cruz', phone: 7, former: 'x' })).toEqual({ first: '', last: 'Cruz', phone: '' });
});
