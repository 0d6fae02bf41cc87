import { useCallback, useEffect, useMemo } from 'react';
import { useQuery } from 'urql';
import { usePreviousData } from '@/data/use-record';
import { useRecordName } from '@/shell/current-record';
import { uploadLogQuery } from './queries';
import { isBusy } from './upload-status';

export const POLL_MS = 1000;
const POLL_AFTER_FAILURE_MS = 5000;

const context = { additionalTypenames: ['UploadLog'] };

/** Reads one upload log, polling while its import, check or undo runs. */
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
  useEffect(() => {
    if (!waiting || !running) return undefined;
    const timer = setTimeout(retry, error ? POLL_AFTER_FAILURE_MS : POLL_MS);
    return () => clearTimeout(timer);
    // Each response is a new object, so it schedules the next poll.
  }, [result, waiting, running, error, retry]);

  return { log, error, retry };
}
