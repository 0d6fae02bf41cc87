import i18next from 'i18next';
import * as v from 'valibot';
import { newUuid } from '@/lib/uuid';
import { LIMIT_MS, timedFetch, type TimeLimit, TimeLimitError } from './timed-fetch';
import { traceHeader } from './trace';

export const LINK_FAILED = 'upload url request failed';
const NETWORK_FAILED = 'An error has occurred';

/** The gateway's limit for an export, until its end. */
export const EXPORT_LONGEST_MS = 600_000;
/** Longer than the gateway's limit, so that its own message arrives. */
export const EXPORT_LIMIT_MS = EXPORT_LONGEST_MS + 20_000;
/** The gateway's text for the reason `EXPORT_TOO_SLOW`. */
export const EXPORT_TOO_SLOW = 'The export took too long. Narrow the filters and try again.';
const GATEWAY_TIMEOUT = 504;

export interface WebActionContext {
  getToken: () => Promise<string | null>;
  fetch?: typeof fetch;
  signal?: AbortSignal;
}

export class WebActionError extends Error {
  readonly code: string | undefined;
  readonly status: number | undefined;
  /** The server's own message, when `message` is a fixed text. */
  readonly detail: string | undefined;

  constructor(message: string, code?: string, status?: number, detail?: string) {
    super(message);
    this.name = 'WebActionError';
    this.code = code;
    this.status = status;
    this.detail = detail;
  }
}

const failureSchema = v.object({
  ok: v.literal(false),
  error: v.optional(v.string()),
  code: v.optional(v.string()),
});

/** Sends a request with the session's token. */
async function send(
  path: string,
  init: RequestInit,
  { getToken, signal, ...context }: WebActionContext,
  limit?: TimeLimit,
): Promise<Response> {
  const request: typeof timedFetch = context.fetch ?? timedFetch;
  try {
    const token = await getToken();
    const sent = {
      ...init,
      headers: {
        ...init.headers,
        ...traceHeader(),
        'auth-provider': 'dbAuth',
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(signal && { signal }),
    };
    return await request(path, sent, limit);
  } catch (error) {
    if (signal?.aborted) throw error;
    const status = error instanceof TimeLimitError ? GATEWAY_TIMEOUT : undefined;
    throw new WebActionError(NETWORK_FAILED, undefined, status);
  }
}

/** Returns the server's error message, or a generic one for any other response. */
function refusal(answer: unknown, status: number): WebActionError {
  const failure = v.safeParse(failureSchema, answer);
  const { error, code } = failure.success ? failure.output : {};
  // As in `normalizeError`: the server's text is about permissions.
  const text = code === 'UNAUTHENTICATED' ? i18next.t('common:signedOut') : error;
  return new WebActionError(text || NETWORK_FAILED, code, status);
}

async function post(
  path: string,
  body: unknown,
  context: WebActionContext,
  headers: Record<string, string> = {},
): Promise<unknown> {
  const init = {
    method: 'POST',
    headers: {
      ...headers,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  };
  const response = await send(path, init, context);
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok || v.is(failureSchema, answer)) throw refusal(answer, response.status);
  return answer;
}

/** Fetches a resource that requires sign-in: a file, or data outside of GraphQL. */
export async function fetchAuthorized(
  path: string,
  context: WebActionContext,
  limitMs = LIMIT_MS,
): Promise<Response> {
  const response = await send(path, {}, context, { isLarge: true, limitMs });
  if (response.ok) return response;
  throw refusal(await response.json().catch(() => undefined), response.status);
}

/** Fetches an export. A workbook begins only once it is complete, which can take minutes. */
export async function fetchExport(path: string, context: WebActionContext): Promise<Response> {
  try {
    return await fetchAuthorized(path, context, EXPORT_LIMIT_MS);
  } catch (error) {
    // Without a code, it was the time limit of the browser or a proxy, so there is no message from the gateway.
    const isLimit = error instanceof WebActionError && error.status === GATEWAY_TIMEOUT && !error.code;
    throw isLimit ? new WebActionError(EXPORT_TOO_SLOW, undefined, GATEWAY_TIMEOUT) : error;
  }
}

const linkSchema = v.object({ ok: v.literal(true), url: v.pipe(v.string(), v.minLength(1)) });

/** Requests a signed link for uploading one file. All failures share one message; `detail` is the server's own. */
async function requestLink(
  action: string,
  filename: string,
  context: WebActionContext,
): Promise<string> {
  try {
    return v.parse(linkSchema, await post(action, { filename }, context)).url;
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const { code, status, message } = error instanceof WebActionError ? error : {};
    throw new WebActionError(LINK_FAILED, code, status, message === NETWORK_FAILED ? undefined : message);
  }
}

/** Requests a link for a file of deliveries to import. */
export function requestUploadLink(filename: string, context: WebActionContext): Promise<string> {
  return requestLink('/request-upload-link', filename, context);
}

/** Requests a link for the customer's logo. */
export function requestLogoUploadLink(
  filename: string,
  context: WebActionContext,
): Promise<string> {
  return requestLink('/request-logo-upload-link', filename, context);
}

const startedSchema = v.object({
  ok: v.literal(true),
  uploadLog: v.union([
    v.pipe(v.string(), v.minLength(1)),
    v.pipe(v.number(), v.transform(String)),
    v.pipe(
      v.object({ id: v.string() }),
      v.transform(({ id }) => id),
    ),
  ]),
});

export type ImportMode = 'upsert' | 'create_only' | 'skip_existing';

export interface ImportRequest {
  url: string;
  filename: string;
  sourceId: string;
  mode?: ImportMode;
  /** Counts what an import would change, without changing it. */
  dryRun?: boolean;
  /** Waits for the user to choose the columns, even if all are recognized. */
  chooseColumns?: boolean;
  /** Idempotency key: repeats of a request with the same key start one import. */
  key?: string;
}

/** Starts the import of an uploaded file and returns the ID of its upload log. */
export async function startImport(
  { mode = 'upsert', dryRun = false, chooseColumns = false, key = newUuid(), ...request }: ImportRequest,
  context: WebActionContext,
): Promise<string> {
  const query = new URLSearchParams({ ...request });
  if (mode !== 'upsert') query.set('mode', mode);
  if (dryRun) query.set('dryRun', 'true');
  if (chooseColumns) query.set('chooseColumns', 'true');
  const answer = await post(`/upload-deliveries?${query}`, undefined, context, {
    'idempotency-key': key,
  });
  const started = v.safeParse(startedSchema, answer);
  if (!started.success) throw new WebActionError(NETWORK_FAILED);
  return started.output.uploadLog;
}

const undoCountsSchema = v.object({
  ok: v.literal(true),
  reversed: v.number(),
  kept: v.number(),
  failed: v.number(),
});

export interface UndoCounts {
  reversed: number;
  kept: number;
  failed: number;
}

/** Counts what an undo of the import would change, without changing anything. */
export async function previewUndo(
  uploadLog: string,
  context: WebActionContext,
): Promise<UndoCounts> {
  const query = new URLSearchParams({ uploadLog, dryRun: 'true' });
  const answer = await post(`/undo-uploaded-deliveries?${query}`, undefined, context);
  const counts = v.safeParse(undoCountsSchema, answer);
  if (!counts.success) throw new WebActionError(NETWORK_FAILED);
  return counts.output;
}

/** Starts undoing an import. Repeats with the same `key` start one undo. */
export async function startUndo(
  uploadLog: string,
  key: string,
  context: WebActionContext,
): Promise<void> {
  const query = new URLSearchParams({ uploadLog });
  await post(`/undo-uploaded-deliveries?${query}`, undefined, context, { 'idempotency-key': key });
}
