import { useCallback, useEffect, useMemo } from 'react';
import { toast } from '@/ui/toast';
import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import type { Filter } from './filters-codec';
import { readListState, writeListState, type ListShape, type ListState } from './list-state';
import type { SortEntry } from './resource';

export interface ListNavigation {
  state: ListState;
  setFilters: (filters: Filter[], replace?: boolean) => void;
  setSort: (sort: SortEntry[]) => void;
  setLimit: (limit: number) => void;
  setOffset: (offset: number, replace?: boolean) => void;
}

/** The address is the only state of a list: every change is a navigation. */
export function useListState(shape: ListShape): ListNavigation {
  const { t } = useTranslation('list');
  const [params, setParams] = useSearchParams();
  const { state, dropped } = useMemo(() => readListState(params, shape), [params, shape]);

  const go = useCallback(
    (change: (current: ListState) => Partial<ListState>, replace = false) => {
      setParams(
        (latest) => {
          const current = readListState(latest, shape).state;
          return writeListState(latest, { ...current, ...change(current) }, shape);
        },
        { replace, preventScrollReset: true },
      );
    },
    [setParams, shape],
  );

  useEffect(() => {
    if (!dropped) return;
    toast.error(t('droppedFilters'), { id: 'list-dropped' });
    go(() => ({}), true);
  }, [dropped, go, t]);

  return useMemo(
    () => ({
      state,
      setFilters: (filters, replace) => go(() => ({ filters, offset: 0 }), replace),
      setSort: (sort) => go(() => ({ sort, offset: 0 })),
      // The first row on screen stays on screen.
      setLimit: (limit) =>
        go((current) => ({ limit, offset: Math.floor(current.offset / limit) * limit })),
      setOffset: (offset, replace) => go(() => ({ offset: Math.max(0, offset) }), replace),
    }),
    [state, go],
  );
}
