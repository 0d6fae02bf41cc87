import { useMemo } from 'react';
import { type LinkProps, useLocation } from 'react-router';
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
const RETURN = { isReturn: true } as const;

export function isReturn(state: unknown): boolean {
  return v.is(v.object({ isReturn: v.literal(true) }), state);
}

/** History state for a link in the navigation. A list that is open already then opens its start view. */
export const RESTART = { isRestart: true } as const;

export function isRestart(state: unknown): boolean {
  return v.is(v.object({ isRestart: v.literal(true) }), state);
}

/** Returns the link to a path. It leads back to the list at this path if the record was opened from there. */
export function linkBack(state: unknown, pathname: string): Pick<LinkProps, 'to' | 'state'> {
  const origin = originState(state)?.listOrigin;
  return origin?.pathname === pathname ? { to: pathname + origin.search, state: RETURN } : { to: pathname };
}

/** Returns the part of a location's state that names a list. An older release or another page may have written the state. */
export function originState(state: unknown): { listOrigin: ListOrigin } | undefined {
  const { success, output } = v.safeParse(originSchema, state);
  return success ? output : undefined;
}

/** Reads the origin from a location's state, if it is this list. */
export function readListOrigin(state: unknown, list: string): ListOrigin | undefined {
  const origin = originState(state)?.listOrigin;
  return origin?.list === list ? origin : undefined;
}
