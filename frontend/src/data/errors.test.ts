import { CombinedError } from '@urql/core';
import { GraphQLError } from 'graphql';
import { describe, expect, it } from 'vitest';
import { type AppError, errorText, isPassing, mayBeSaved, normalizeError } from './errors';

function failed(message: string | null, extensions: Record<string, unknown> = {}) {
  const error = new GraphQLError('x', { extensions });
  Object.defineProperty(error, 'message', { value: message });
  return new CombinedError({ graphQLErrors: [error] });
}

it('gives every network error one text', () => {
  const expected = { kind: 'network', message: 'An error has occurred', fields: {} };
  expect(normalizeError(new CombinedError({ networkError: new Error('refused') }))).toEqual(expected);
  expect(normalizeError(new TypeError('Failed to fetch'))).toEqual(expected);
  expect(normalizeError(new SyntaxError('Unexpected token <'))).toEqual(expected);
});

it('maps bad user input to fields', () => {
  const messages = { value: ['Value is required', ''], id: 'is taken', odd: [7], none: [] };
  expect(
    normalizeError(failed('Bad input', { code: 'BAD_USER_INPUT', properties: { messages } })),
  ).toEqual({
    kind: 'input',
    code: 'BAD_USER_INPUT',
    message: 'Errors prevented this form from being saved',
    detail: 'Bad input',
    fields: { value: ['Value is required'], id: ['is taken'] },
  });
});

it.each([null, 'text', [], { messages: null }, { messages: ['x'] }])(
  'survives properties %j',
  (properties) => {
    const error = normalizeError(failed('Bad', { code: 'BAD_USER_INPUT', properties }));
    expect(error.fields).toEqual({});
  },
);

it('knows who may not', () => {
  expect(normalizeError(failed('Sign in', { code: 'UNAUTHENTICATED' })).kind).toBe('unauthenticated');
  expect(normalizeError(failed('No', { code: 'FORBIDDEN' })).kind).toBe('forbidden');
});

it.each(['FORBIDDEN', 'FAILED_PRECONDITION'])('knows the fields of an error of code %s, and keeps its text', (code) => {
  const messages = { driverId: ['Rico is blocked'] };
  expect(normalizeError(failed('Rico is blocked', { code, properties: { messages } }))).toMatchObject({
    message: 'Rico is blocked',
    fields: messages,
  });
});

const failure = (about: Partial<AppError>): AppError => ({ kind: 'server', message: 'No', fields: {}, ...about });

it.each([
  [{ kind: 'network' }, true],
  [{ kind: 'unauthenticated', code: 'UNAUTHENTICATED' }, true],
  [{ code: 'RATE_LIMITED' }, true],
  [{ code: 'STORAGE_FULL' }, true],
  [{ code: 'UNAVAILABLE' }, true],
  [{ code: 'INTERNAL' }, true],
  [{ kind: 'input', code: 'BAD_USER_INPUT' }, false],
  [{}, false],
] as const)('calls %j passing: %s', (about, passing) => {
  expect(isPassing(failure(about))).toBe(passing);
});

it.each([
  [{ kind: 'network' }, true],
  [{ code: 'UNAVAILABLE', reason: 'ANSWER_LOST' }, true],
  [{ code: 'UNAVAILABLE', reason: 'COMMIT_UNKNOWN' }, true],
  [{ code: 'UNAVAILABLE', reason: 'DATABASE_BUSY' }, false],
  [{}, false],
] as const)('says of %j whether the change may be saved: %s', (about, isOpen) => {
  expect(mayBeSaved(failure(about))).toBe(isOpen);
});

it("keeps the server's own message, or says that something went wrong", () => {
  expect(normalizeError(failed('The service is busy'))).toEqual({
    kind: 'server',
    message: 'The service is busy',
    fields: {},
  });
  expect(normalizeError(failed(null)).message).toBe('Something went wrong');
  expect(normalizeError(new Error('own')).message).toBe('own');
  expect(normalizeError('thrown text').message).toBe('Something went wrong');
});

describe('as one text', () => {
  const textOf = (message: string, messages: Record<string, string[]>) =>
    errorText(normalizeError(failed(message, { code: 'BAD_USER_INPUT', properties: { messages } })));

  it("the server's own message comes before those of the fields", () => {
    const advice = 'Choose a PNG, JPEG or SVG file.';
    expect(textOf('Invalid file', { url: [advice] })).toBe(`Invalid file. ${advice}`);
  });

  it('each message is there once', () => {
    const text = 'Size must be 1 to 130';
    expect(textOf(text, { value: [text], size: [text] })).toBe(text);
    expect(textOf('Name is required; Email is required', { name: ['Name is required'], email: ['Email is required'] })).toBe(
      'Name is required. Email is required',
    );
  });

  it("is the server's own message where no field has one", () => {
    expect(textOf('Bad input', {})).toBe('Bad input');
    expect(errorText(normalizeError(failed('The service is busy')))).toBe('The service is busy');
  });

  it('does not repeat a message that is at a field, too', () => {
    const properties = { messages: { driverId: ['Rico is blocked'] } };
    const error = failed('Rico is blocked', { code: 'FAILED_PRECONDITION', properties });
    expect(errorText(normalizeError(error))).toBe('Rico is blocked');
  });
});
