import { type RefObject, useMemo, useState } from 'react';
import type { ListState } from './list-state';
import type { Resource } from './resource';
import { type Selection, useSelection } from './use-selection';

export interface ListSelection {
  /** Undefined while rows cannot be selected. */
  selection: Selection | undefined;
  selected: number;
  /** Begins or ends selecting on a narrow screen, which has no room for boxes before that. */
  isSelecting: boolean;
  switchSelecting: () => void;
  clear: () => void;
  selectRow: ((index: number, range: boolean) => void) | undefined;
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
): ListSelection {
  const page = useMemo(() => rows.map(resource.rowId), [resource, rows]);
  const selection = useSelection(JSON.stringify(filters), page);
  const [isSelecting, setSelecting] = useState(false);
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
  };
}
