import type { UploadLog } from './queries';

/** The import still has work to do, so its page keeps asking. */
export function isRunning(status: UploadLog['status']): boolean {
  return status === 'uploaded' || status === 'parsing' || status === 'importing';
}

/** How long an import took, or has taken so far. */
export function elapsedMs(
  { startedAt, finishedAt, createdAt }: Pick<UploadLog, 'startedAt' | 'finishedAt' | 'createdAt'>,
  now: number,
): number {
  const end = finishedAt ? Date.parse(finishedAt) : now;
  return Math.max(0, end - Date.parse(startedAt ?? createdAt));
}
