import { type RefObject, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { toast } from '@/ui/toast';
import type { ListState } from './list-state';
import { MAX_SELECTED, type Resource } from './resource';
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
function useSelection(subject: string, page: readonly string[]): Selection {
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

interface ListSelection<Row> {
  /** Undefined while rows cannot be selected. */
  selection: Selection | undefined;
  selected: number;
  /** Begins or ends selecting on a narrow screen, which has no room for boxes before that. */
  isSelecting: boolean;
  switchSelecting: () => void;
  clear: () => void;
  selectRow: ((index: number, range: boolean) => void) | undefined;
  /** Returns the rows of ids, of those that have been read; a selection outlives its page. */
  rowsOf: (ids: Iterable<string>) => Row[];
  onRows: (rows: readonly Row[]) => void;
}

function withRows<Row>(
  known: ReadonlyMap<string, Row>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): ReadonlyMap<string, Row> {
  return new Map([...known, ...rows.map((row) => [idOf(row), row] as const)]);
}

/** The selection of a list, if it has anything to do with selected rows. */
export function useListSelection<Row, Data>(
  resource: Resource<Row, Data>,
  { filters }: ListState,
  rows: Row[],
  { selects, narrow, region }: {
    selects: boolean;
    narrow: boolean;
    region: RefObject<HTMLElement | null>;
  },
): ListSelection<Row> {
  const page = useMemo(() => rows.map(resource.rowId), [resource, rows]);
  const selection = useSelection(JSON.stringify(filters), page);
  const [isSelecting, setSelecting] = useState(false);
  // A selection outlives the page it was made on, and so do its rows.
  const [seen, setSeen] = useState({ rows, byId: withRows(new Map<string, Row>(), rows, resource.rowId) });
  if (seen.rows !== rows) setSeen({ rows, byId: withRows(seen.byId, rows, resource.rowId) });
  const isOn = selects && (!narrow || isSelecting);
  return {
    selection: isOn ? selection : undefined,
    selected: isOn ? selection.ids.size : 0,
    isSelecting,
    switchSelecting: () => {
      setSelecting(!isSelecting);
      selection.set([]);
    },
    clear: () => {
      selection.set([]);
      // The bar goes and would take the focus with it.
      region.current?.focus();
    },
    selectRow: isOn
      ? (index, range) => {
          const id = page[index];
          if (id !== undefined) selection.toggle(id, range);
        }
      : undefined,
    rowsOf: (ids) =>
      [...ids].flatMap((id) => {
        const row = seen.byId.get(id);
        return row ? [row] : [];
      }),
    onRows: (read) => setSeen(({ byId }) => ({ rows, byId: withRows(byId, read, resource.rowId) })),
  };
}
