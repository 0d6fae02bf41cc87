import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { POLL_INTERVAL_MS } from './dead-letter-list';
import { endpointsQuery } from './queries';

/** Reads the endpoints and their sources, and polls, because an endpoint pauses without anybody's action. */
export function useEndpoints() {
  const result = useRecord({
    document: endpointsQuery,
    variables: {},
    typenames: ['OutboundEndpoint', 'DeadLetter'],
    read: (data) => data,
  });
  usePolling(result.refresh, POLL_INTERVAL_MS);
  return result;
}
