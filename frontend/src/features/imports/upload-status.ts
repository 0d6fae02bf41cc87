import type { UploadLog } from './queries';

/** Whether an import or check is still running. */
export function isRunning(
  status: UploadLog['status'],
): status is 'uploaded' | 'parsing' | 'importing' | 'checking' {
  return ['uploaded', 'parsing', 'importing', 'checking'].includes(status);
}

/** Whether the page must keep polling. */
export function isBusy(status: UploadLog['status']): boolean {
  return isRunning(status) || status === 'undoing' || status === 'correcting';
}

/** Duration of an import in milliseconds, up to now while it runs. */
export function elapsedMs(
  { startedAt, finishedAt, createdAt }: Pick<UploadLog, 'startedAt' | 'finishedAt' | 'createdAt'>,
  now: number,
): number {
  const end = finishedAt ? Date.parse(finishedAt) : now;
  return Math.max(0, end - Date.parse(startedAt ?? createdAt));
}

/** Returns whether the import or check was canceled before any of its rows counted. */
export function isCanceledEmpty({ failureCode, rowsCreated, rowsUpdated }: Pick<UploadLog, 'failureCode' | 'rowsCreated' | 'rowsUpdated'>) {
  return failureCode === 'IMPORT_CANCELLED' && rowsCreated + rowsUpdated === 0;
}
