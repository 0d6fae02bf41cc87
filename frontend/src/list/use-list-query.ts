import { useCallback, useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { normalizeError, type AppError } from '@/data/errors';
import { type QueryStatus, queryStatus } from '@/data/query-state';
import { usePreviousData, useReadAt } from '@/data/use-record';
import { useRefresh } from '@/data/use-refresh';
import { isRelativeDays, relativeRange } from './date-values';
import type { Filter } from './filters-codec';
import type { ListState } from './list-state';
import type { ListCount, ListVariables, Resource } from './resource';
import { listWhere } from './to-where';
import { useCurrentMinute } from './use-current-minute';

export type ListStatus = 'loading' | 'error' | 'empty' | 'no-match' | 'ready';

export interface ListResult<Row> {
  /** The content to render. */
  status: ListStatus;
  /** The state of the request. */
  query: QueryStatus;
  rows: Row[];
  /** Identifies the filters and the days that they mean now. */
  subject: string;
  /** Whether the rows are of this subject. While those of a new one load, the rows of the previous one are shown. */
  isMatch: boolean;
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
  /** The state that these rows belong to. */
  asked: string;
  subject: string;
  list: { rows: Row[]; count: ListCount };
}

const NO_ROWS: never[] = [];

/** Changes with the filters, and when days such as "Today" become others, but not each minute as "The past" does. */
function subjectOf(filters: readonly Filter[], timeZone: string, now: Date): string {
  const days = filters
    .flatMap(({ operator, values }) => (operator === 'inDateRange' ? values : []))
    .map(({ value }) => (isRelativeDays(value) ? relativeRange(value, timeZone, now) : value));
  return JSON.stringify([filters, days]);
}

export function useListQuery<Row, Data>(
  resource: Resource<Row, Data>,
  state: ListState,
  timeZone: string,
): ListResult<Row> {
  const { filters, sort, limit, offset } = state;
  const now = useCurrentMinute(filters);
  const where = useMemo(
    () => listWhere(resource, filters, timeZone, now),
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

  // The variables of one state differ by the minute, because presets such as "The past" become instants.
  const asked = JSON.stringify([state, timeZone]);
  const subject = subjectOf(filters, timeZone, now);
  const isAnswer = JSON.stringify(result.operation?.variables) === JSON.stringify(variables);
  const answer = useMemo(
    () => (result.data && !result.error ? resource.toList(result.data) : undefined),
    [result.data, result.error, resource],
  );
  const readAt = useReadAt(result.error ? undefined : result.data);
  const failed = Boolean(result.error) && isAnswer && !result.fetching;

  // urql drops data when a refetch fails; keep the last rows on screen, but not those of another state: once this one has
  // failed, they would pass for its own.
  const [kept, setKept] = useState<Kept<Row>>();
  if (isAnswer && answer && (kept?.list !== answer || kept.asked !== asked)) setKept({ asked, subject, list: answer });
  const isOwn = kept?.asked === asked;
  const hasFailed = usePreviousData(isAnswer && !result.fetching ? failed : undefined, asked);
  const shown = isOwn || !hasFailed ? kept?.list : undefined;
  // The state that was last refreshed in the background. Loading any other state shows an indicator.
  const [quiet, setQuiet] = useState<string>();
  const retry = useCallback(() => {
    setQuiet(undefined);
    execute({ requestPolicy: 'network-only' });
  }, [execute]);
  const refresh = useRefresh(result, (options) => {
    setQuiet(asked);
    execute(options);
  });

  const rows = shown?.rows ?? NO_ROWS;
  const found = statusOf(shown?.count, rows.length, filters.length > 0, failed);
  const status = useIsEmpty(resource, state, found === 'no-match') ? 'empty' : found;
  const query = queryStatus({
    isBusy: result.fetching || result.stale || !isAnswer,
    isKnown: Boolean(shown),
    isFailed: failed,
    again: isOwn && (quiet === asked || !isAnswer) ? 'polling' : undefined,
  });
  return {
    status,
    query,
    rows,
    subject,
    isMatch: kept?.subject === subject,
    count: shown?.count,
    refreshing: query === 'refetch',
    staleSince: failed && shown ? readAt : undefined,
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
  const where = [...(resource.where ?? [])];
  const [{ data }] = useQuery({
    query: resource.document,
    variables: { page: { where, sort, limit: 1, offset: 0 }, where },
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
