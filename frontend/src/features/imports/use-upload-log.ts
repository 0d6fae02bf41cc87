import { useEffect } from 'react';
import { useChanges } from '@/data/use-changes';
import { setVisibleTimeout } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/shell/current-record';
import { uploadLogQuery, uploadLogSubscription } from './queries';
import { isBusy } from './upload-status';

/** Polling interval, for windows that get no changes over their subscription. */
export const POLL_MS = 5000;

/** Reads one upload log, and keeps it up to date while its import, check or undo runs. */
export function useUploadLog(id: string) {
  const result = useRecord({
    document: uploadLogQuery,
    variables: { id },
    typenames: ['UploadLog'],
    read: ({ uploadLog }) => uploadLog,
  });
  const { value: log, error, status, refresh } = result;
  useRecordName(log?.filename);

  const waiting = status === 'ready' || status === 'error';
  const running = Boolean(log && isBusy(log.status));
  useChanges(running ? uploadLogSubscription : undefined, { id }, refresh);
  useEffect(() => {
    if (!waiting || !running) return undefined;
    // Each response brings a new log or error, so it schedules the next poll.
    return setVisibleTimeout(refresh, POLL_MS);
  }, [log, error, waiting, running, refresh]);

  return result;
}
