import { type AppError, FORM_ERROR } from '@/data/errors';

/** Response to a POST: success has `message` or other data, a refusal has `error`. */
export interface AuthReply {
  error?: string;
  message?: string;
  /** Error code of a refusal. */
  code?: string;
  /** Error messages of a refusal, by form field. */
  fields?: Record<string, string[]>;
  [field: string]: unknown;
}

/** Converts a refusal to the error that forms display; undefined for success. */
export function replyFailure({ error, code, fields }: AuthReply): AppError | undefined {
  if (!error) return undefined;
  const base = { ...(code && { code }) };
  if (fields && Object.keys(fields).length > 0) {
    return { ...base, kind: 'input', message: FORM_ERROR, detail: error, fields };
  }
  return { ...base, kind: 'server', message: error, fields: {} };
}
