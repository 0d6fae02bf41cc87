/** Time limit of a request in milliseconds, longer than that of the ingress, 25 s. */
export const LIMIT_MS = 30_000;

/**
 * Fetches with a time limit, after which it rejects as after a lost connection. Without the limit, a half-open connection
 * hangs for minutes. A large body, such as a file, may take longer: then only the time until it begins is limited.
 */
export async function timedFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
  isLarge = false,
): Promise<Response> {
  const limit = new AbortController();
  init.signal?.throwIfAborted();
  init.signal?.addEventListener('abort', () => limit.abort());
  const timer = setTimeout(() => limit.abort(new TypeError('timeout')), LIMIT_MS);
  const response = await fetch(input, { ...init, signal: limit.signal });
  if (isLarge) clearTimeout(timer);
  return response;
}
