import { useRecord } from '@/data/use-record';
import { driverLogQuery } from './queries';

export function useDriverLog(id: string) {
  return useRecord({
    document: driverLogQuery,
    variables: { id },
    typenames: ['DriverLog'],
    read: ({ driverLog }) => driverLog,
  });
}
