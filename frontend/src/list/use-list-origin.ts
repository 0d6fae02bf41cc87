import { useMemo } from 'react';
import { useLocation } from 'react-router';
import type { ListOrigin } from './list-origin';
import type { Resource } from './resource';
import type { ListResult } from './use-list-query';

export function useListOrigin<Row, Data>(
  resource: Resource<Row, Data>,
  { rows, count }: ListResult<Row>,
  offset: number,
): ListOrigin {
  const { pathname, search } = useLocation();
  const total = count?.total ?? 0;
  const exact = count?.exact ?? true;
  // Rows are memoised and get this as a prop.
  return useMemo(
    () => ({
      list: resource.name,
      pathname,
      search,
      ids: rows.map(resource.rowId),
      offset,
      total,
      exact,
    }),
    [resource, pathname, search, rows, offset, total, exact],
  );
}
