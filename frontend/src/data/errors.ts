import { CombinedError } from '@urql/core';

export type ErrorKind = 'network' | 'input' | 'unauthenticated' | 'forbidden' | 'server';

export interface AppError {
  kind: ErrorKind;
  /** The title to show; never empty. */
  message: string;
  /** The server's own message, when `message` is a fixed text. */
  detail?: string;
  /** Messages by form field; set only for BAD_USER_INPUT. */
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
  const message = kind === 'input' ? FORM_ERROR : text;
  const base = { kind, message, ...(code && { code }), ...(reason && { reason }) };
  if (kind !== 'input') return { ...base, fields: {} };
  return { ...base, detail: text, fields: readFields(first.extensions) };
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

/**
 * Joins all messages into one text, for places that have no form fields. The server's own message comes first, unless it
 * only repeats messages of fields.
 */
export function errorText({ fields, detail, message }: AppError): string {
  const texts = [...new Set(Object.values(fields).flat())];
  if (texts.length === 0) return detail ?? message;
  const isRepeated = texts.some((text) => detail?.includes(text));
  const all = detail === undefined || isRepeated ? texts : [detail, ...texts];
  return all.map((text, at) => (at === all.length - 1 || /[.!?]$/.test(text) ? text : `${text}.`)).join(' ');
}
