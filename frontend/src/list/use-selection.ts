import { type RefObject, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { toast } from '@/ui/toast';
import { MAX_SELECTED, type Resource } from './resource';
import { between, type SelectedIds, type SelectionChange, withIds, withoutIds } from './selection';
import type { ListResult } from './use-list-query';

export interface Selection {
  /** What the rows are selected from; see `ListResult`. */
  subject: string;
  /** The selected ids. If all matching rows are selected, only the ids of this page. */
  ids: SelectedIds;
  /** Whether all matching rows are selected, including those not loaded. */
  all: boolean;
  /** All rows of the page are selected. */
  wholePage: boolean;
  selectAll: () => void;
  /** Selects or deselects a row; with `range`, all rows from the last toggled row to this one. */
  toggle: (id: string, range: boolean) => void;
  togglePage: (selected: boolean) => void;
  /** Replaces the selection. */
  set: (ids: readonly string[]) => void;
}

const NONE: SelectedIds = new Set();

/**
 * Returns the selected rows. They are kept outside of the table, since the selection spans pages, and reset when
 * `subject` changes. Rows can't be toggled unless those of `page` are of that subject. The functions are stable between
 * renders.
 */
function useSelection(subject: string, page: readonly string[], isMatch: boolean): Selection {
  const { t } = useTranslation('list');
  const [kept, setKept] = useState({ subject, ids: NONE, all: false });
  const isKept = kept.subject === subject;
  const all = isKept && kept.all;
  const ids = useMemo(
    () => (all ? new Set(page) : isKept ? kept.ids : NONE),
    [all, isKept, kept.ids, page],
  );
  const latest = useRef({ subject, ids, page, isMatch });
  // A layout effect, so that a key selects what the screen shows from the moment that it shows it.
  useLayoutEffect(() => {
    latest.current = { subject, ids, page, isMatch };
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
      if (!now.isMatch) return;
      const rows = range ? between(now.page, anchor.current, id) : [id];
      anchor.current = id;
      change(now.ids.has(id) ? withoutIds(now.ids, rows) : withIds(now.ids, rows));
    },
    [change],
  );
  const togglePage = useCallback(
    (selected: boolean) => {
      const now = latest.current;
      if (!now.isMatch) return;
      change((selected ? withIds : withoutIds)(now.ids, now.page));
    },
    [change],
  );
  const set = useCallback((next: readonly string[]) => change(withIds(NONE, next)), [change]);

  const selectAll = useCallback(
    () => setKept({ subject: latest.current.subject, ids: NONE, all: true }),
    [],
  );

  const wholePage = page.length > 0 && page.every((id) => ids.has(id));
  return useMemo(
    () => ({ subject, ids, all, wholePage, selectAll, toggle, togglePage, set }),
    [subject, ids, all, wholePage, selectAll, toggle, togglePage, set],
  );
}

interface ListSelection<Row> {
  /** Undefined if rows cannot be selected. */
  selection: Selection | undefined;
  selected: number;
  /** Ids of the selected rows; empty if all matching rows are selected. */
  chosen: readonly string[];
  /** Whether selection mode is on. On narrow screens, checkboxes are shown in that mode only. */
  isSelecting: boolean;
  switchSelecting: () => void;
  clear: () => void;
  selectRow: ((index: number, range: boolean) => void) | undefined;
  /** Returns those of the rows with these ids that have been loaded, on any page. */
  rowsOf: (ids: Iterable<string>) => Row[];
  onRows: (rows: readonly Row[]) => void;
}

function withRows<Row>(
  known: Iterable<readonly [string, Row]>,
  rows: readonly Row[],
  idOf: (row: Row) => string,
): ReadonlyMap<string, Row> {
  return new Map([...known, ...rows.map((row) => [idOf(row), row] as const)]);
}

interface Seen<Row> {
  /** The page that `byId` was last updated with. */
  rows: readonly Row[] | undefined;
  byId: ReadonlyMap<string, Row>;
}

/** The selection of a list, if it has bulk actions. */
export function useListSelection<Row, Data>(
  resource: Resource<Row, Data>,
  { rows, subject, isMatch }: Pick<ListResult<Row>, 'rows' | 'subject' | 'isMatch'>,
  { selects, narrow, region }: {
    selects: boolean;
    narrow: boolean;
    region: RefObject<HTMLElement | null>;
  },
): ListSelection<Row> {
  const page = useMemo(() => rows.map(resource.rowId), [resource, rows]);
  const selection = useSelection(subject, page, isMatch);
  const [isSelecting, setSelecting] = useState(false);
  // Keep the selected rows of earlier pages, since the selection spans pages. Others would add up, day after day.
  const [seen, setSeen] = useState<Seen<Row>>({ rows: undefined, byId: new Map() });
  if (selects && seen.rows !== rows) {
    const selected = [...seen.byId].filter(([id]) => selection.ids.has(id));
    setSeen({ rows, byId: withRows(selected, rows, resource.rowId) });
  }
  // A selection from before the window became narrow stays in use, and so does the dialog that was opened for it.
  if (narrow && !isSelecting && (selection.all || selection.ids.size > 0)) setSelecting(true);
  const isOn = selects && (!narrow || isSelecting);
  return {
    selection: isOn ? selection : undefined,
    selected: isOn ? selection.ids.size : 0,
    chosen: isOn && !selection.all ? [...selection.ids] : [],
    isSelecting,
    switchSelecting: () => {
      setSelecting(!isSelecting);
      selection.set([]);
    },
    clear: () => {
      selection.set([]);
      // Focus the list, because the bulk bar that had the focus was removed.
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
    onRows: (read) => setSeen((last) => ({ ...last, byId: withRows(last.byId, read, resource.rowId) })),
  };
}
