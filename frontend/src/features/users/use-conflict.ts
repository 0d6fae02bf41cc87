import { useCallback } from 'react';
import { useClient } from 'urql';
import type { AppError } from '@/data/errors';
import { userVersionQuery } from './queries';

/** What somebody else saved since the account was read. */
export interface Conflict {
  by: string;
  at: string;
  version: number;
}

interface Read {
  id: string;
  version: number;
}

/**
 * Finds out whether a change was refused because of somebody else's, and whose. The refusal alone
 * does not tell: that of the last administrator, for one, is of the same kind.
 */
export function useConflict() {
  const client = useClient();
  return useCallback(
    async (failed: AppError, read: Read): Promise<Conflict | undefined> => {
      if (failed.code !== 'FAILED_PRECONDITION') return undefined;
      const { data } = await client
        .query(userVersionQuery, { id: read.id }, { requestPolicy: 'network-only' })
        .toPromise();
      const now = data?.user;
      if (!now || now.version === read.version) return undefined;
      return { by: now.updatedBy, at: now.updatedAt, version: now.version };
    },
    [client],
  );
}
