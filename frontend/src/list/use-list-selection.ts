import { type RefObject, useMemo, useState } from 'react';
import type { ListState } from './list-state';
import type { Resource } from './resource';
import { type Selection, useSelection } from './use-selection';

export interface ListSelection<Row> {
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
