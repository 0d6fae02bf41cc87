import { useMemo } from 'react';
import { useLocation } from 'react-router';
import * as v from 'valibot';
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
  // Memoized, because the row components are memoized and receive the origin as a prop.
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

/** The list that a record page was opened from; stored in the history entry. */
export interface ListOrigin {
  /** Key of the list, so that a record page ignores state of other lists. */
  list: string;
  pathname: string;
  search: string;
  ids: string[];
  offset: number;
  total: number;
  exact: boolean;
}

const originSchema = v.object({
  listOrigin: v.object({
    list: v.string(),
    pathname: v.string(),
    search: v.string(),
    ids: v.pipe(v.array(v.string()), v.maxLength(100)),
    offset: v.number(),
    total: v.number(),
    exact: v.boolean(),
  }),
});

export function toLocationState(origin: ListOrigin): { listOrigin: ListOrigin } {
  return { listOrigin: origin };
}

/** History state for a link back to a list. The list then restores its position, as after the Back button. */
export const RETURN = { isReturn: true } as const;

export function isReturn(state: unknown): boolean {
  return v.is(v.object({ isReturn: v.literal(true) }), state);
}

/** Returns the path. If the record was opened from a list at this path, the list's query is added. */
export function originAddress(state: unknown, pathname: string): string {
  const { success, output } = v.safeParse(originSchema, state);
  return success && output.listOrigin.pathname === pathname
    ? pathname + output.listOrigin.search
    : pathname;
}

/** Reads the origin from a location's state. An older release or another page may have written the state. */
export function readListOrigin(state: unknown, list: string): ListOrigin | undefined {
  const result = v.safeParse(originSchema, state);
  return result.success && result.output.listOrigin.list === list
    ? result.output.listOrigin
    : undefined;
}
