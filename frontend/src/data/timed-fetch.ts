import { noteServerTime } from './server-clock';

/** Time limit of a request in milliseconds, longer than that of the ingress, 25 s. */
export const LIMIT_MS = 30_000;

/** The error of a request that took too long. It is a `TypeError`, as after a lost connection. */
export class TimeLimitError extends TypeError {}

export interface TimeLimit {
  /** A large body, such as a file, may take any time; only the time until it begins is limited. */
  isLarge?: boolean;
  limitMs?: number;
}

/** Fetches with a time limit. Without it, a half-open connection hangs for minutes. */
export async function timedFetch(
  input: RequestInfo | URL,
  init: RequestInit = {},
  { isLarge = false, limitMs = LIMIT_MS }: TimeLimit = {},
): Promise<Response> {
  const limit = new AbortController();
  init.signal?.throwIfAborted();
  init.signal?.addEventListener('abort', () => limit.abort());
  const timer = setTimeout(() => limit.abort(new TimeLimitError('timeout')), limitMs);
  const sentAt = Date.now();
  const response = await fetch(input, { ...init, signal: limit.signal });
  // Browsers never answer a POST from their cache.
  if (init.method === 'POST') noteServerTime(response, sentAt);
  if (isLarge) clearTimeout(timer);
  return response;
}
