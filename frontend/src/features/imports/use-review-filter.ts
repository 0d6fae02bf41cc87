import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { formatCount } from '@/lib/numbers';
import { useSearch } from '@/routing/use-search';
import type { ViewTab } from '@/ui/tabs';
import type { RowResult, UploadLog } from './queries';

const names = ['all', 'refused', 'created', 'updated', 'skipped'] as const;
type FilterName = (typeof names)[number];

export interface ReviewFilter {
  name: FilterName;
  /** Null: all rows. */
  result: RowResult | null;
}

const PARAMETER = 'rows';

/** Which rows of a checked file are shown, as the URL says: refused ones first, if there are any. */
export function useReviewFilter(log: UploadLog): { filter: ReviewFilter; tabs: ViewTab[] } {
  const { t } = useTranslation('imports');
  const [params] = useSearch();
  const { pathname } = useLocation();
  const usual: FilterName = log.rowsFailed > 0 ? 'refused' : 'all';
  const name = names.find((it) => it === params.get(PARAMETER)) ?? usual;
  const { rowsTotal, rowsFailed, rowsCreated, rowsUpdated, rowsSkipped } = log;
  const tabs = useMemo(() => {
    const counts: Record<FilterName, number> = {
      all: rowsTotal,
      refused: rowsFailed,
      created: rowsCreated,
      updated: rowsUpdated,
      skipped: rowsSkipped,
    };
    const searchOf = (id: FilterName) => {
      const next = new URLSearchParams(params);
      // Another filter has other pages.
      next.delete('offset');
      if (id === usual) next.delete(PARAMETER);
      else next.set(PARAMETER, id);
      return next.toString();
    };
    return names.map((id) => ({
      id,
      label: t(id === 'all' ? 'review.all' : `review.results.${id}`),
      to: { pathname, search: searchOf(id) },
      count: formatCount(counts[id]),
    }));
  }, [t, params, pathname, usual, rowsTotal, rowsFailed, rowsCreated, rowsUpdated, rowsSkipped]);
  return { filter: useMemo(() => ({ name, result: name === 'all' ? null : name }), [name]), tabs };
}
