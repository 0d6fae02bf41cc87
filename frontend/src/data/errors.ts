import { CombinedError } from '@urql/core';
import i18next from 'i18next';

export type ErrorKind = 'network' | 'input' | 'unauthenticated' | 'forbidden' | 'server';

export interface AppError {
  kind: ErrorKind;
  /** The title to show; never empty. */
  message: string;
  /** The server's own message, when `message` is a fixed text. */
  detail?: string;
  /** Messages by form field; empty if the error is about none. */
  fields: Record<string, string[]>;
  code?: string;
  /** Machine-readable reason, for example DELIVERY_CHANGED. */
  reason?: string;
}

// The contract fixes these texts to the letter, so they are not translated.
export const NETWORK_ERROR = 'An error has occurred';
export const UNKNOWN_ERROR = 'Something went wrong';
export const FORM_ERROR = 'Errors prevented this form from being saved';

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function readFields(extensions: unknown): Record<string, string[]> {
  const properties = isRecord(extensions) ? extensions.properties : undefined;
  const messages = isRecord(properties) ? properties.messages : undefined;
  if (!isRecord(messages)) return {};
  const fields: [string, string[]][] = [];
  for (const [field, list] of Object.entries(messages)) {
    const texts = (Array.isArray(list) ? list : [list]).filter(
      (text): text is string => typeof text === 'string' && text !== '',
    );
    if (texts.length > 0) fields.push([field, texts]);
  }
  return Object.fromEntries(fields);
}

const kinds: Record<string, ErrorKind> = {
  BAD_USER_INPUT: 'input',
  UNAUTHENTICATED: 'unauthenticated',
  FORBIDDEN: 'forbidden',
};

function messageOf(kind: ErrorKind, text: string): string {
  if (kind === 'input') return FORM_ERROR;
  // The server's text is about permissions, and the user may have signed in again by the time it is read.
  return kind === 'unauthenticated' ? i18next.t('common:signedOut') : text;
}

function fromGraphql(error: CombinedError): AppError | undefined {
  // Use the first error only: the server lists the cause first.
  const first = error.graphQLErrors[0];
  if (!first) return undefined;
  const { code: codeSaid, reason: reasonSaid } = first.extensions ?? {};
  const code = typeof codeSaid === 'string' ? codeSaid : undefined;
  const reason = typeof reasonSaid === 'string' ? reasonSaid : undefined;
  const kind = (code && kinds[code]) || 'server';
  const original: unknown = first.message;
  const text = typeof original === 'string' && original ? original : UNKNOWN_ERROR;
  return {
    kind,
    message: messageOf(kind, text),
    ...(kind === 'input' && { detail: text }),
    fields: readFields(first.extensions),
    ...(code && { code }),
    ...(reason && { reason }),
  };
}

/** Converts any failure of a request to an `AppError`. */
export function normalizeError(error: unknown): AppError {
  if (error instanceof CombinedError) {
    if (error.networkError) return { kind: 'network', message: NETWORK_ERROR, fields: {} };
    const found = fromGraphql(error);
    if (found) return found;
  }
  // `fetch` rejects with a TypeError, and reading a response that is not JSON with a SyntaxError.
  if (error instanceof TypeError || error instanceof SyntaxError) {
    return { kind: 'network', message: NETWORK_ERROR, fields: {} };
  }
  if (error instanceof Error && error.message) {
    return { kind: 'server', message: error.message, fields: {} };
  }
  return { kind: 'server', message: UNKNOWN_ERROR, fields: {} };
}

const PASSING = new Set(['RATE_LIMITED', 'STORAGE_FULL', 'UNAVAILABLE', 'INTERNAL']);

/** Whether the same request may succeed later: the failure is temporary and unrelated to the input. */
export function isPassing({ kind, code = '' }: AppError): boolean {
  return kind === 'network' || kind === 'unauthenticated' || PASSING.has(code);
}

const UNANSWERED = new Set(['ANSWER_LOST', 'COMMIT_UNKNOWN']);

/** Whether the server may have made the change although the request failed. */
export function mayBeSaved({ kind, reason = '' }: AppError): boolean {
  return kind === 'network' || UNANSWERED.has(reason);
}

/**
 * Joins all messages into one text, for places that have no form fields. The server's own message comes first, unless it
 * only repeats messages of fields.
 */
export function errorText({ kind, fields, detail, message }: AppError): string {
  const texts = [...new Set(Object.values(fields).flat())];
  // The message of bad input is the same for all forms.
  const own = kind === 'input' ? detail : message;
  if (texts.length === 0) return own ?? message;
  const isRepeated = texts.some((text) => own?.includes(text));
  const all = own === undefined || isRepeated ? texts : [own, ...texts];
  return all.map((text, at) => (at === all.length - 1 || /[.!?]$/.test(text) ? text : `${text}.`)).join(' ');
}
