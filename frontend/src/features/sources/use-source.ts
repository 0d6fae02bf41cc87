import { useRecord } from '@/data/use-record';
import { sourceQuery } from './queries';

export function useSource(id: string) {
  return useRecord({
    document: sourceQuery,
    variables: { id },
    typenames: ['Source'],
    read: ({ source }) => source,
  });
}
