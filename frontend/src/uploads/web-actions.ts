import * as v from 'valibot';

export const LINK_FAILED = 'upload url request failed';
const NETWORK_FAILED = 'An error has occurred';

export interface WebActionContext {
  getToken: () => Promise<string | null>;
  fetch?: typeof fetch;
  signal?: AbortSignal;
}

export class WebActionError extends Error {
  readonly code: string | undefined;
  readonly status: number | undefined;

  constructor(message: string, code?: string, status?: number) {
    super(message);
    this.name = 'WebActionError';
    this.code = code;
    this.status = status;
  }
}

const failureSchema = v.object({
  ok: v.literal(false),
  error: v.optional(v.string()),
  code: v.optional(v.string()),
});

async function post(
  path: string,
  body: unknown,
  { getToken, signal, ...context }: WebActionContext,
): Promise<unknown> {
  const token = await getToken();
  let response: Response;
  try {
    response = await (context.fetch ?? fetch)(path, {
      method: 'POST',
      headers: {
        'auth-provider': 'dbAuth',
        ...(token && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new WebActionError(NETWORK_FAILED);
  }
  const answer: unknown = await response.json().catch(() => undefined);
  const failure = v.safeParse(failureSchema, answer);
  if (failure.success || !response.ok) {
    const { error, code } = failure.success ? failure.output : {};
    throw new WebActionError(error || NETWORK_FAILED, code, response.status);
  }
  return answer;
}

const linkSchema = v.object({ ok: v.literal(true), url: v.pipe(v.string(), v.minLength(1)) });

/** A signed link to put one file to. Its failure has one text, whatever the cause. */
export async function requestUploadLink(
  filename: string,
  context: WebActionContext,
): Promise<string> {
  try {
    return v.parse(linkSchema, await post('/request-upload-link', { filename }, context)).url;
  } catch (error) {
    if (context.signal?.aborted) throw error;
    const { code, status } = error instanceof WebActionError ? error : {};
    throw new WebActionError(LINK_FAILED, code, status);
  }
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

export interface ImportRequest {
  url: string;
  filename: string;
  sourceId: string;
}

/** Starts the import of an uploaded file and answers the id of its upload log. */
export async function startImport(
  request: ImportRequest,
  context: WebActionContext,
): Promise<string> {
  const query = new URLSearchParams({ ...request });
  const answer = await post(`/upload-deliveries?${query}`, undefined, context);
  const started = v.safeParse(startedSchema, answer);
  if (!started.success) throw new WebActionError(NETWORK_FAILED);
  return started.output.uploadLog;
}
