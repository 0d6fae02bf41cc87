import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import * as v from 'valibot';
import { readStored, writeStored } from '@/lib/stored-json';
import { useSearch } from '@/routing/use-search';
import { toast } from '@/ui/toast';
import type { Filter } from './filters-codec';
import {
  hasNextPage,
  isDeepestPage,
  lastOffset,
  type ListShape,
  type ListState,
  readListState,
  writeListState,
} from './list-state';
import { DEFAULT_PAGE_SIZE, type ListCount, PAGE_SIZES, type SortEntry } from './resource';

interface LoadedPage {
  /** Undefined until loaded. */
  count: ListCount | undefined;
  /** The number of rows on screen. */
  shown: number;
  /** Whether these rows may belong to another page, while this one loads. */
  isLoading: boolean;
}

/**
 * Returns functions to change the page. If the URL points beyond the last page, goes to the last page. If the server
 * stopped counting, goes to the last page that was counted or to the page shown before, whichever is later.
 */
export function useListPaging({ count, shown, isLoading }: LoadedPage, navigation: ListNavigation) {
  const { state, setOffset } = navigation;
  const { limit, offset } = state;

  const list = JSON.stringify({ ...state, offset: 0 });
  const before = useRef({ list, offset: 0 });
  useEffect(() => {
    if (!count || isLoading) return;
    if (shown > 0) before.current = { list, offset };
    else {
      const known = before.current;
      const isKnown = !count.exact && known.list === list && known.offset < offset;
      const last = Math.max(lastOffset(count.total, limit), isKnown ? known.offset : 0);
      if (offset > last) setOffset(last, true);
    }
  }, [count, shown, isLoading, list, offset, limit, setOffset]);

  const hasNext = count !== undefined && hasNextPage(count, shown, state) && !isDeepestPage(state);
  return {
    previousPage: () => {
      if (offset > 0) setOffset(offset - limit);
    },
    nextPage: () => {
      if (hasNext) setOffset(offset + limit);
    },
  };
}

export interface ListNavigation {
  state: ListState;
  /** Rows per page when the URL has no limit. */
  pageSize: number;
  setFilters: (filters: Filter[], replace?: boolean) => void;
  setSort: (sort: SortEntry[]) => void;
  setLimit: (limit: number) => void;
  setOffset: (offset: number, replace?: boolean) => void;
}

const pageSizeSchema = v.picklist(PAGE_SIZES);

/** The page size that the user last chose for a list, stored in this browser. It applies if the URL sets none. */
function usePageSize(name: string): [number, (limit: number) => void] {
  const key = `waybill.list.${name}.limit`;
  const [limit, setLimit] = useState<number>(() =>
    readStored(key, (value) => v.parse(pageSizeSchema, value), DEFAULT_PAGE_SIZE),
  );
  const change = useCallback(
    (next: number) => {
      setLimit(next);
      writeStored(key, next);
    },
    [key],
  );
  return [limit, change];
}

/** Returns the state of a list. The URL is the only place that holds it, so every change is a navigation. */
export function useListState(resource: ListShape & { name: string }): ListNavigation {
  const { t } = useTranslation('list');
  const [params, changeSearch] = useSearch();
  const [pageSize, setPageSize] = usePageSize(resource.name);
  const shape = useMemo(() => ({ ...resource, pageSize }), [resource, pageSize]);
  const { state, dropped } = useMemo(() => readListState(params, shape), [params, shape]);

  const go = useCallback(
    (change: (current: ListState) => Partial<ListState>, replace = false) => {
      changeSearch(
        (latest) => {
          const current = readListState(latest, shape).state;
          return writeListState(latest, { ...current, ...change(current) }, shape);
        },
        { replace, preventScrollReset: true },
      );
    },
    [changeSearch, shape],
  );

  useEffect(() => {
    if (!dropped) return;
    toast.error(t('droppedFilters'), { id: 'list-dropped' });
    go(() => ({}), true);
  }, [dropped, go, t]);

  return useMemo(
    () => ({
      state,
      pageSize,
      setFilters: (filters, replace) => go(() => ({ filters, offset: 0 }), replace),
      setSort: (sort) => go(() => ({ sort, offset: 0 })),
      // Keep the first visible row on screen.
      setLimit: (limit) => {
        setPageSize(limit);
        go((current) => ({ limit, offset: Math.floor(current.offset / limit) * limit }));
      },
      setOffset: (offset, replace) => go(() => ({ offset: Math.max(0, offset) }), replace),
    }),
    [state, pageSize, go, setPageSize],
  );
}
