import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { driverQuery } from './queries';

/** One driver, by an id that matches whatever its case; read anew every so often where that is said. */
export function useDriver(driverId: string, pollInterval?: number) {
  const result = useRecord({
    document: driverQuery,
    variables: { driverId },
    typenames: ['Driver'],
    read: ({ driver }) => driver,
  });
  usePolling(result.refresh, pollInterval);
  return result;
}
