import { useEffect } from 'react';
import { lastOffset } from './list-state';
import type { ListResult } from './use-list-query';
import type { ListNavigation } from './use-list-state';

/** Turning pages, and the way back when the address points past the last one. */
export function useListPaging(result: ListResult<unknown>, navigation: ListNavigation) {
  const { rows, count, refreshing } = result;
  const { state, setOffset } = navigation;
  const { limit, offset } = state;

  const total = count?.total;
  const isPastEnd = total !== undefined && rows.length === 0 && !refreshing;
  useEffect(() => {
    const last = lastOffset(total ?? 0, limit);
    if (isPastEnd && offset > last) setOffset(last, true);
  }, [isPastEnd, total, offset, limit, setOffset]);

  const hasNext = count?.exact === false ? rows.length === limit : offset + limit < (total ?? 0);
  return {
    previousPage: () => {
      if (offset > 0) setOffset(offset - limit);
    },
    nextPage: () => {
      if (hasNext) setOffset(offset + limit);
    },
  };
}
