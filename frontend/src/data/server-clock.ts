/** A slower response says too little: the server may have written its time at any moment of the request. */
const SLOW_MS = 2000;
/** Smaller differences are ignored: they may come from the measurement, whose `Date` header has full seconds. */
const TOLERANCE_MS = 5000;

/** How far the server's clock is ahead of this computer's. */
let aheadMs = 0;

/** Returns the server's time in milliseconds since the epoch, since clocks of office computers are often minutes wrong. */
export function serverNow(): number {
  return Date.now() + aheadMs;
}

/**
 * Measures the server's clock by the response to a request that was sent at `sentAt`. The response must not come from a
 * cache. Called for each request, because this computer's clock may be set meanwhile.
 */
export function noteServerTime({ headers }: Response, sentAt: number): void {
  const took = Date.now() - sentAt;
  const date = Date.parse(headers.get('date') ?? '');
  if (Number.isNaN(date) || took < 0 || took > SLOW_MS) return;
  // In the middle of the second and of the request, where the error is smallest.
  const measured = date + 500 - (sentAt + took / 2);
  const next = Math.abs(measured) <= TOLERANCE_MS ? 0 : measured;
  if (Math.abs(next - aheadMs) > TOLERANCE_MS) aheadMs = next;
}
