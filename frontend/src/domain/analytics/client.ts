// Calls the analytics service with the token of the session.
import * as v from 'valibot';
import { timedFetch } from '@/data/timed-fetch';
import { traceHeader } from '@/data/trace';
import {
  type AnalyticsMeta,
  type AnalyticsQuery,
  type AnalyticsResult,
  type AnalyticsRow,
  type AnalyticsSql,
  metaSchema,
  resultsSchema,
  singleSchema,
  sqlSchema,
} from './query';

export const POLL_MS = 5000;
/** Longest URL in characters; a longer query is sent as the body of a POST. */
const MAX_URL = 2000;
/** Pause before the next request, in case the server answers 'Continue wait' immediately. */
const WAIT_MS = 500;

export interface AnalyticsContext {
  getToken: () => Promise<string | null>;
  signal?: AbortSignal;
  /** Address below which the operations are. The default is that of the build. */
  apiUrl?: string;
  /** Whether the query comes from the query lab, where each run is recorded in the audit log. */
  inLab?: boolean;
}

/** The message is fixed by the specification; `detail` is the server's explanation, or else the body of its answer. */
export class AnalyticsError extends Error {
  readonly detail: string | undefined;
  readonly status: number | undefined;

  constructor(statusText: string, detail?: string, status?: number) {
    super(`Error fetching Cube.js data: ${statusText}`);
    this.name = 'AnalyticsError';
    this.detail = detail;
    this.status = status;
  }
}

const failureSchema = v.object({ error: v.string() });
const CONTINUE = 'Continue wait';

function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener(
      'abort',
      () => {
        clearTimeout(timer);
        reject(signal.reason as Error);
      },
      { once: true },
    );
  });
}

async function send(address: string, init: RequestInit, context: AnalyticsContext): Promise<Response> {
  const { getToken, signal } = context;
  try {
    const token = await getToken();
    signal?.throwIfAborted();
    const sent: RequestInit = {
      ...init,
      credentials: 'include',
      headers: {
        ...init.headers,
        ...traceHeader(),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(signal && { signal }),
    };
    // An answer may have thousands of rows.
    return await timedFetch(address, sent, { isLarge: true });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new AnalyticsError('network error');
  }
}

/** Longest part of a body without an error of the service that is shown. */
const MAX_BODY = 300;

/** Returns the beginning of an unexpected body as a line of text, without the tags of an error page. */
function shortened(body: string): string | undefined {
  const text = body.replaceAll(/<[^>]*>/g, ' ').replaceAll(/\s+/g, ' ').trim();
  return (text.length > MAX_BODY ? `${text.slice(0, MAX_BODY)}…` : text) || undefined;
}

function parsed(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}

/** Repeats the request while the server is still working on it and, if `outlastsProxy`, after a proxy error. */
async function ask(
  address: string,
  init: RequestInit,
  context: AnalyticsContext,
  outlastsProxy = true,
): Promise<unknown> {
  let run = '1';
  for (;;) {
    const headers = { ...init.headers, ...(context.inLab && { 'x-query-lab': run }) };
    const response = await send(address, { ...init, headers }, context);
    if (outlastsProxy && response.status === 502) {
      await pause(POLL_MS, context.signal);
      continue;
    }
    // Asking again for the same result does not count as another run.
    run = 'again';
    const body = await response.text().catch(() => '');
    const answer = parsed(body);
    const failure = v.safeParse(failureSchema, answer);
    const error = failure.success ? failure.output.error : undefined;
    if (error?.includes(CONTINUE)) {
      await pause(WAIT_MS, context.signal);
      continue;
    }
    // HTTP/2 responses have a status code but no status text.
    const words = response.statusText || String(response.status);
    if (!response.ok || error !== undefined) {
      throw new AnalyticsError(words, error ?? shortened(body), response.status);
    }
    return answer;
  }
}

function post(body: object): RequestInit {
  return {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
}

/** Returns the address of the service that is given or configured for the build, or else `ownUrl`, the gateway's. */
function apiUrlOf(context: AnalyticsContext, ownUrl: string): string {
  const configured = context.apiUrl ?? import.meta.env.VITE_ANALYTICS_URL;
  if (configured === '') throw new Error('The `apiUrl` option is required');
  return configured ?? ownUrl;
}

function call(operation: string, parameters: Record<string, unknown>, context: AnalyticsContext): Promise<unknown> {
  const plain = Object.entries(parameters).map(([key, value]): [string, string] => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  const path = `${apiUrlOf(context, '/cubejs-api/v1')}/${operation}`;
  const address = plain.length > 0 ? `${path}?${new URLSearchParams(plain)}` : path;
  const origin = path.startsWith('/') ? (globalThis.location?.origin ?? '') : '';
  if (origin.length + address.length < MAX_URL) return ask(address, {}, context);
  return ask(path, post(parameters), context);
}

function read<Schema extends v.GenericSchema>(schema: Schema, answer: unknown): v.InferOutput<Schema> {
  const found = v.safeParse(schema, answer);
  if (found.success) return found.output;
  throw new AnalyticsError('the answer could not be read');
}

/** Returns the results of a query or of several blended queries. Throws `AnalyticsError`, or the abort reason. */
export async function loadAnalytics(
  query: AnalyticsQuery | readonly AnalyticsQuery[],
  context: AnalyticsContext,
): Promise<AnalyticsResult[]> {
  return read(resultsSchema, await call('load', { query, queryType: 'multi' }, context)).results;
}

/**
 * Returns the results of a saved query of the query lab, by its id. The server runs the query that it has stored
 * under this id.
 */
export async function loadSavedQuery(savedQuery: string, context: AnalyticsContext): Promise<AnalyticsResult[]> {
  return read(resultsSchema, await call('load', { savedQuery, queryType: 'multi' }, context)).results;
}

/** Returns the rows of a single query, for dropdowns, which do without while the service is away. */
export async function loadRows(query: AnalyticsQuery, context: AnalyticsContext): Promise<AnalyticsRow[]> {
  return read(singleSchema, await ask(`${apiUrlOf(context, '')}/load`, post({ query }), context, false)).data;
}

/** Returns the cubes and members that the caller may query. */
export async function loadMeta(context: AnalyticsContext): Promise<AnalyticsMeta> {
  return read(metaSchema, await call('meta', {}, context));
}

/** Returns the SQL that the service runs for a query, one statement per range or blended query. Administrators only. */
export async function loadSql(
  query: AnalyticsQuery | readonly AnalyticsQuery[],
  context: AnalyticsContext,
): Promise<AnalyticsSql> {
  return read(sqlSchema, await call('sql', { query }, context));
}
