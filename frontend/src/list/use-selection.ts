import { useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { toast } from '@/ui/toast';
import { MAX_SELECTED } from './resource';
import { between, type SelectedIds, type SelectionChange, withIds, withoutIds } from './selection';

export interface Selection {
  /** Of all that match, those of the page. */
  ids: SelectedIds;
  /** Everything that matches the filters is selected, whatever is read of it. */
  all: boolean;
  selectAll: () => void;
  /** Selects a row or lets it go; `range` does so with all rows since the last one. */
  toggle: (id: string, range: boolean) => void;
  togglePage: (selected: boolean) => void;
  /** Selects these and no others. */
  set: (ids: readonly string[]) => void;
}

const NONE: SelectedIds = new Set();

/**
 * Which rows are selected. Kept beside the table, as it outlives the page one is on; it ends with
 * `subject`, the filters of the list. The functions stay the same between renders.
 */
export function useSelection(subject: string, page: readonly string[]): Selection {
  const { t } = useTranslation('list');
  const [kept, setKept] = useState({ subject, ids: NONE, all: false });
  const isKept = kept.subject === subject;
  const all = isKept && kept.all;
  const ids = useMemo(
    () => (all ? new Set(page) : isKept ? kept.ids : NONE),
    [all, isKept, kept.ids, page],
  );
  const latest = useRef({ subject, ids, page });
  useEffect(() => {
    latest.current = { subject, ids, page };
  });
  const anchor = useRef<string>(undefined);

  const change = useCallback(
    (next: SelectionChange) => {
      if (next.full) {
        toast.error(t('selection.full', { most: formatCount(MAX_SELECTED) }), { id: 'list-full' });
      }
      latest.current.ids = next.ids;
      setKept({ subject: latest.current.subject, ids: next.ids, all: false });
    },
    [t],
  );
  const toggle = useCallback(
    (id: string, range: boolean) => {
      const now = latest.current;
      const rows = range ? between(now.page, anchor.current, id) : [id];
      anchor.current = id;
      change(now.ids.has(id) ? withoutIds(now.ids, rows) : withIds(now.ids, rows));
    },
    [change],
  );
  const togglePage = useCallback(
    (selected: boolean) => {
      const now = latest.current;
      change((selected ? withIds : withoutIds)(now.ids, now.page));
    },
    [change],
  );
  const set = useCallback((next: readonly string[]) => change(withIds(NONE, next)), [change]);

  const selectAll = useCallback(
    () => setKept({ subject: latest.current.subject, ids: NONE, all: true }),
    [],
  );

  return useMemo(
    () => ({ ids, all, selectAll, toggle, togglePage, set }),
    [ids, all, selectAll, toggle, togglePage, set],
  );
}
