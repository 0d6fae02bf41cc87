import { useCallback, useMemo } from 'react';
import { useQuery } from 'urql';
import { useKept } from '@/data/use-kept';
import { useRecordName } from '@/navigation/record-name';
import { userQuery } from './queries';

const context = { additionalTypenames: ['User', 'Session'] };

/** One account, and the one last read while reading it again fails. */
export function useUser(id: string) {
  const [result, execute] = useQuery({
    query: userQuery,
    variables: useMemo(() => ({ id }), [id]),
    requestPolicy: 'cache-and-network',
    context,
  });
  const isOwn = result.operation?.variables.id === id;
  const user = useKept(isOwn ? result.data?.user : undefined, id);
  useRecordName(user?.username);
  const error = isOwn ? result.error : undefined;
  const retry = useCallback(() => execute({ requestPolicy: 'network-only' }), [execute]);
  return { user, error, retry, isStale: Boolean(error && user && !result.fetching) };
}
