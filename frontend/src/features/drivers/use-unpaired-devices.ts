import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { unpairedDevicesQuery } from './queries';

const NO_VARIABLES = {};
const REREAD_MS = 10_000;

/** Devices that sent positions and belong to nobody, read anew as long as somebody looks. */
export function useUnpairedDevices() {
  const result = useRecord({
    document: unpairedDevicesQuery,
    variables: NO_VARIABLES,
    typenames: ['UnpairedDevice'],
    read: ({ unpairedDevices }) => unpairedDevices,
  });
  usePolling(result.refresh, REREAD_MS);
  return result;
}
