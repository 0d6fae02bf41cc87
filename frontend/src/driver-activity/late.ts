const LATE_MS = 30 * 60_000;

/** It was told long after it happened: the device had no connection, or its clock is wrong. */
export function isLate({ occurredAt, receivedAt }: { occurredAt: string; receivedAt: string }) {
  return Math.abs(Date.parse(receivedAt) - Date.parse(occurredAt)) > LATE_MS;
}
