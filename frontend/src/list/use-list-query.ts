import { useCallback, useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { normalizeError, type AppError } from '@/data/errors';
import { type QueryStatus, queryStatus } from '@/data/query-state';
import type { ListState } from './list-state';
import type { ListCount, ListVariables, Resource } from './resource';
import { toWhere } from './to-where';
import { useNow } from './use-now';

export type ListStatus = 'loading' | 'error' | 'empty' | 'no-match' | 'ready';

export interface ListResult<Row> {
  /** What there is to show. */
  status: ListStatus;
  /** What the reading of it is at. */
  query: QueryStatus;
  rows: Row[];
  count: ListCount | undefined;
  /** Rows are on screen while newer ones are on their way. */
  refreshing: boolean;
  /** When the rows on screen were read, if reading them again failed. */
  staleSince: number | undefined;
  error: AppError | undefined;
  retry: () => void;
  /** Reads the rows anew without a sign of it. */
  refresh: () => void;
}

interface Kept<Row> {
  key: string;
  rows: Row[];
  count: ListCount;
  at: number;
}

const NO_ROWS: never[] = [];

export function useListQuery<Row, Data>(
  resource: Resource<Row, Data>,
  state: ListState,
  timeZone: string,
): ListResult<Row> {
  const { filters, sort, limit, offset } = state;
  const now = useNow(filters);
  const where = useMemo(
    () => toWhere(filters, timeZone, resource.filters, now),
    [filters, timeZone, resource, now],
  );
  const variables: ListVariables = useMemo(
    () => ({ page: { where, sort, limit, offset }, where }),
    [where, sort, limit, offset],
  );
  const context = useMemo(() => ({ additionalTypenames: [resource.typename] }), [resource]);
  const [result, execute] = useQuery({
    query: resource.document,
    variables,
    requestPolicy: 'cache-and-network',
    context,
  });

  const key = JSON.stringify(variables);
  const answered = result.operation ? JSON.stringify(result.operation.variables) : undefined;
  const fresh = useMemo(
    () => (result.data && !result.error ? resource.toList(result.data) : undefined),
    [result.data, result.error, resource],
  );

  // urql drops the rows when reading them again fails; a dispatcher would rather keep the old ones.
  const [kept, setKept] = useState<Kept<Row>>();
  useEffect(() => {
    if (fresh && answered) setKept({ key: answered, ...fresh, at: Date.now() });
  }, [fresh, answered]);

  const failed = Boolean(result.error) && answered === key && !result.fetching;
  const usable = failed && kept?.key !== key ? undefined : (fresh ?? kept);
  // What was read last without being asked for; the next page is another matter.
  const [quiet, setQuiet] = useState<string>();
  const retry = useCallback(() => {
    setQuiet(undefined);
    execute({ requestPolicy: 'network-only' });
  }, [execute]);
  const refresh = useCallback(() => {
    setQuiet(key);
    execute({ requestPolicy: 'network-only' });
  }, [execute, key]);

  const rows = usable?.rows ?? NO_ROWS;
  const found = statusOf(usable?.count, rows.length, filters.length > 0, failed);
  const status = useIsEmpty(resource, state, found === 'no-match') ? 'empty' : found;
  const query = queryStatus({
    isBusy: result.fetching || result.stale || answered !== key,
    isKnown: Boolean(usable),
    isFailed: failed,
    again: usable && quiet === key ? 'polling' : undefined,
  });
  return {
    status,
    query,
    rows,
    count: usable?.count,
    refreshing: query === 'refetch',
    staleSince: failed && usable ? kept?.at : undefined,
    error: failed && result.error ? normalizeError(result.error) : undefined,
    retry,
    refresh,
  };
}

/** Whether there is no row at all, asked only where filters found none: then nothing is wrong with the filters. */
function useIsEmpty<Row, Data>(
  resource: Resource<Row, Data>,
  { sort }: ListState,
  isAsked: boolean,
): boolean {
  const [{ data }] = useQuery({
    query: resource.document,
    variables: { page: { where: [], sort, limit: 1, offset: 0 }, where: [] },
    requestPolicy: 'cache-and-network',
    context: useMemo(() => ({ additionalTypenames: [resource.typename] }), [resource]),
    pause: !isAsked,
  });
  return isAsked && data !== undefined && resource.toList(data).count.total === 0;
}

function statusOf(
  count: ListCount | undefined,
  shown: number,
  filtered: boolean,
  failed: boolean,
): ListStatus {
  if (!count) return failed ? 'error' : 'loading';
  if (shown > 0) return 'ready';
  // Rows exist, though not this far: the page moves back by itself.
  if (count.total > 0) return 'loading';
  return filtered ? 'no-match' : 'empty';
}
