import { useCallback, useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import { useChanges } from '@/data/use-changes';
import { usePreviousData } from '@/data/use-record';
import { useRecordName } from '@/shell/current-record';
import { uploadLogQuery, uploadLogSubscription } from './queries';
import { isBusy } from './upload-status';

/** Polling interval, for windows that get no changes over their subscription. */
export const POLL_MS = 5000;

const context = { additionalTypenames: ['UploadLog'] };

/** Reads one upload log, and keeps it up to date while its import, check or undo runs. */
export function useUploadLog(id: string) {
  const [result, execute] = useQuery({
    query: uploadLogQuery,
    variables: useMemo(() => ({ id }), [id]),
    requestPolicy: 'cache-and-network',
    context,
  });
  const isOwn = result.operation?.variables.id === id;
  const log = usePreviousData(isOwn ? result.data?.uploadLog : undefined, id);
  useRecordName(log?.filename);
  const error = isOwn ? result.error : undefined;
  const retry = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);

  const waiting = !result.fetching && !result.stale;
  const running = Boolean(log && isBusy(log.status));
  useChanges(running ? uploadLogSubscription : undefined, { id }, retry);
  useEffect(() => {
    if (!waiting || !running) return undefined;
    const timer = setTimeout(retry, POLL_MS);
    return () => clearTimeout(timer);
    // Each response is a new object, so it schedules the next poll.
  }, [result, waiting, running, retry]);

  return { log, error, retry };
}
