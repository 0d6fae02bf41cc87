import { useRecord } from '@/data/use-record';
import { useRecordName } from '@/navigation/record-name';
import { sourceQuery } from './queries';

export function useSource(id: string) {
  const result = useRecord({
    document: sourceQuery,
    variables: { id },
    typenames: ['Source'],
    read: ({ source }) => source,
  });
  useRecordName(result.value?.name);
  return result;
}
