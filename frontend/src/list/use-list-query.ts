import { useCallback, useEffect, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { normalizeError, type AppError } from '@/data/errors';
import { type QueryStatus, queryStatus } from '@/data/query-state';
import { useRefresh } from '@/data/use-refresh';
import type { ListState } from './list-state';
import type { ListCount, ListVariables, Resource } from './resource';
import { toWhere } from './to-where';
import { useNow } from './use-now';

export type ListStatus = 'loading' | 'error' | 'empty' | 'no-match' | 'ready';

export interface ListResult<Row> {
  /** The content to render. */
  status: ListStatus;
  /** The state of the request. */
  query: QueryStatus;
  rows: Row[];
  count: ListCount | undefined;
  /** Whether newer rows are loading while the old ones are shown. */
  refreshing: boolean;
  /** When the shown rows were read, if the last refresh failed. */
  staleSince: number | undefined;
  error: AppError | undefined;
  retry: () => void;
  /** Refetches without a loading indicator. */
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

  // urql drops data when a refetch fails; keep the last rows on screen.
  const [kept, setKept] = useState<Kept<Row>>();
  useEffect(() => {
    if (fresh && answered) setKept({ key: answered, ...fresh, at: Date.now() });
  }, [fresh, answered]);

  const failed = Boolean(result.error) && answered === key && !result.fetching;
  const usable = failed && kept?.key !== key ? undefined : (fresh ?? kept);
  // Key of the page that was last refreshed in the background. Loading any other page shows an indicator.
  const [quiet, setQuiet] = useState<string>();
  const retry = useCallback(() => {
    setQuiet(undefined);
    execute({ requestPolicy: 'network-only' });
  }, [execute]);
  const refresh = useRefresh(result, (options) => {
    setQuiet(key);
    execute(options);
  });

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

/**
 * Returns whether the list has no rows at all. Sends a query only if the filters match nothing, to tell an empty list
 * from one without matches.
 */
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
  // There are rows, but not on this page. `useListPaging` then goes to the last page.
  if (count.total > 0) return 'loading';
  return filtered ? 'no-match' : 'empty';
}
