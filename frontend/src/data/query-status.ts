/** What a query is at. Read again, it is told whether somebody asked for that or it goes by itself. */
export type QueryStatus = 'loading' | 'refetch' | 'polling' | 'ready' | 'error';

interface QueryFacts {
  isBusy: boolean;
  isKnown: boolean;
  isFailed: boolean;
  /** Why it was read last, if not by being shown. */
  again: 'refetch' | 'polling' | undefined;
}

export function queryStatus({ isBusy, isKnown, isFailed, again }: QueryFacts): QueryStatus {
  if (isBusy) return again ?? (isKnown ? 'refetch' : 'loading');
  if (isFailed) return 'error';
  return isKnown ? 'ready' : 'loading';
}
