import { type AppError, FORM_ERROR } from '@/data/errors';

/**
 * What the endpoint answers to a POST: news as `message`, a refusal as `error`, else it worked and
 * the rest is the answer itself.
 */
export interface AuthReply {
  error?: string;
  message?: string;
  /** Of a refusal: which kind of one it is. */
  code?: string;
  /** Of a refusal: what is wrong with which field. */
  fields?: Record<string, string[]>;
  [field: string]: unknown;
}

// What says nothing of what was sent; the same may go well later.
const PASSING = new Set(['RATE_LIMITED', 'STORAGE_FULL', 'UNAVAILABLE', 'INTERNAL']);

export function isPassing(failure: AppError): boolean {
  return failure.kind === 'network' || PASSING.has(failure.code ?? '');
}

/** The refusal of an answer in the shape that forms show; undefined when it is none. */
export function replyFailure({ error, code, fields }: AuthReply): AppError | undefined {
  if (!error) return undefined;
  const base = { ...(code && { code }) };
  if (fields && Object.keys(fields).length > 0) {
    return { ...base, kind: 'input', message: FORM_ERROR, detail: error, fields };
  }
  return { ...base, kind: 'server', message: error, fields: {} };
}
