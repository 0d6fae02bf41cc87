import type { TypedDocumentNode } from '@urql/core';
import { useCallback } from 'react';
import { useClient } from 'urql';
import type { AppError } from '@/data/errors';

/** What somebody else saved since a record was read. */
export interface Conflict {
  by: string;
  at: string;
  version: number;
}

export interface Versioned {
  version: number;
  /** Null of what nobody ever changed, which is then no conflict either. */
  updatedAt: string | null;
  updatedBy: string | null;
}

/**
 * Finds out whether a change was refused because of somebody else's, and whose: the refusal alone
 * does not tell. The document reads the record as it is now, by the name `current`.
 */
export function useConflict<Variables extends object>(
  document: TypedDocumentNode<{ current: Versioned | null }, Variables>,
) {
  const client = useClient();
  return useCallback(
    async (
      failed: AppError,
      variables: Variables,
      version: number,
    ): Promise<Conflict | undefined> => {
      if (failed.code !== 'FAILED_PRECONDITION') return undefined;
      const { data } = await client
        .query(document, variables, { requestPolicy: 'network-only' })
        .toPromise();
      const now = data?.current;
      if (!now || now.version === version) return undefined;
      return { by: now.updatedBy ?? '', at: now.updatedAt ?? '', version: now.version };
    },
    [client, document],
  );
}
