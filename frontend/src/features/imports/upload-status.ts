import type { UploadLog } from './queries';

/** The import, or the check of its file, still has work to do. */
export function isRunning(
  status: UploadLog['status'],
): status is 'uploaded' | 'parsing' | 'importing' | 'checking' {
  return ['uploaded', 'parsing', 'importing', 'checking'].includes(status);
}

/** Something is being done, so the page keeps asking. */
export function isBusy(status: UploadLog['status']): boolean {
  return isRunning(status) || status === 'undoing' || status === 'correcting';
}

/** How long an import took, or has taken so far. */
export function elapsedMs(
  { startedAt, finishedAt, createdAt }: Pick<UploadLog, 'startedAt' | 'finishedAt' | 'createdAt'>,
  now: number,
): number {
  const end = finishedAt ? Date.parse(finishedAt) : now;
  return Math.max(0, end - Date.parse(startedAt ?? createdAt));
}
