import { toHex } from '@/lib/hex';

const randomHex = (bytes: number) => toHex(crypto.getRandomValues(new Uint8Array(bytes)));

/** The trace of this visit, from opening the application until it is closed or reloaded. */
const visit = randomHex(16);

/**
 * Returns the header by which the server links the trace of a request to the trace of the visit (W3C Trace Context), so
 * that all requests of one visit can be found together.
 */
export function traceHeader(): { traceparent: string } {
  return { traceparent: `00-${visit}-${randomHex(8)}-01` };
}
