import { type ClipboardEvent, type KeyboardEvent, type RefObject, useEffect, useMemo, useRef, useState } from 'react';
import { readTsv, tsvCell } from '@/lib/tsv';
import { readUserAgent } from '@/lib/user-agent';
import type { CellActions } from './edit-grid-row';
import type { EditGridProps, GridEdit, Place } from './edit-grid-types';

/** Whether Option enters characters, as on a Mac, where other keyboards have AltGr. */
const hasOption = () => readUserAgent(navigator.userAgent).system === 'macOS';

/** Whether a key enters a character, which replaces the value as in a spreadsheet. */
function types(event: KeyboardEvent): boolean {
  const { key, ctrlKey, metaKey, altKey } = event;
  if (key.length !== 1 || metaKey) return false;
  // Windows reports AltGr as Ctrl and Alt as well.
  return event.getModifierState('AltGraph') || (!ctrlKey && (!altKey || hasOption()));
}

const clamp = (value: number, last: number) => Math.max(0, Math.min(value, last));

/** Returns how far a key moves from the current cell: rows down and columns to the right. */
function stepOf(event: KeyboardEvent, page: number): [number, number] | undefined {
  const whole = event.ctrlKey || event.metaKey;
  const far = whole ? Infinity : 1;
  const steps: Record<string, [number, number]> = {
    ArrowUp: [-far, 0],
    ArrowDown: [far, 0],
    ArrowLeft: [0, -far],
    ArrowRight: [0, far],
    PageUp: [-page, 0],
    PageDown: [page, 0],
    Home: [whole ? -Infinity : 0, -Infinity],
    End: [whole ? Infinity : 0, Infinity],
  };
  return steps[event.key];
}

/** The current cell, what is typed into it, and the keys that move and edit. `total` is the number of rows. */
export function useGridKeys<Row extends object>(props: EditGridProps<Row>, total: number) {
  const { columns, rowAt, rowHeight, isLocked, onMove, onEdit } = props;
  const grid = useRef<HTMLDivElement>(null);
  const [draft, setDraft] = useState<string>();
  const at: Place = {
    row: Math.min(props.at.row, total - 1),
    column: Math.min(props.at.column, columns.length - 1),
  };
  const { row, column } = at;
  const current = rowAt(row);
  const here = (current && columns[column]?.valueOf(current)) ?? '';
  const follow = useFocusInCell(grid, at, draft !== undefined);

  function move(down: number, right: number) {
    const to = { row: clamp(row + down, total - 1), column: clamp(column + right, columns.length - 1) };
    if (draft === undefined && to.row === row && to.column === column) return;
    follow(to);
    onMove(to);
  }

  function edit(text: string) {
    if (current && !isLocked(current)) setDraft(text);
  }

  /** Saves a value of the current cell, if it is another one. */
  function save(value: string) {
    if (current && !isLocked(current) && value !== here) onEdit([{ row: current, column, value }]);
  }

  /** Ends editing and moves to another cell. If `value` is undefined, the cell keeps its previous value. */
  function end(value: string | undefined, down = 0, right = 0) {
    if (value !== undefined) save(value);
    setDraft(undefined);
    move(down, right);
  }

  /** Does what a key means while a cell is edited. Returns false if it means nothing. */
  function onEditKey({ key, shiftKey }: KeyboardEvent) {
    const back = shiftKey ? -1 : 1;
    if (key === 'Enter') end(draft, back);
    else if (key === 'Tab') end(draft, 0, back);
    else if (key === 'Escape') end(undefined);
    else return false;
    return true;
  }

  /** Does what a key means on a cell. Returns false if it means nothing. */
  function onCellKey(event: KeyboardEvent) {
    const page = Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / rowHeight) - 1);
    const step = stepOf(event, page);
    if (step) move(...step);
    else if (event.key === 'Enter' || event.key === 'F2') edit(here);
    else if (event.key === 'Delete' || event.key === 'Backspace') end('');
    else if (types(event)) edit(event.key);
    else return false;
    return true;
  }

  return {
    grid,
    at,
    draft,
    onKeys: (event: KeyboardEvent) => {
      // These keys belong to the input method: its Enter confirms what was composed.
      if (event.nativeEvent.isComposing) return;
      if (draft === undefined ? onCellKey(event) : onEditKey(event)) event.preventDefault();
    },
    onPaste: usePaste(props, total, at, draft !== undefined),
    onCopy: (event: ClipboardEvent) => {
      if (draft !== undefined) return;
      event.preventDefault();
      // Spreadsheets put a line end there for an empty cell.
      event.clipboardData.setData('text/plain', tsvCell(here) || '\n');
    },
    onFocus: (to: Place | undefined) => {
      if (to && (to.row !== row || to.column !== column)) onMove(to);
    },
    onDoubleClick: (on: Place | undefined) => {
      if (on && draft === undefined) edit(here);
    },
    cell: useStableActions({
      onDraft: setDraft,
      // Saves what was typed when the input loses the focus.
      onLeave: () => {
        if (draft === undefined) return;
        save(draft);
        setDraft(undefined);
      },
    }),
  };
}

/** Pastes cells from a spreadsheet, starting at the current cell. */
function usePaste<Row extends object>(props: EditGridProps<Row>, total: number, at: Place, isEdited: boolean) {
  const { columns, isLocked, onEdit, rowsBetween, onPasteFailed } = props;
  return async (event: ClipboardEvent) => {
    if (isEdited) return;
    event.preventDefault();
    const text = event.clipboardData.getData('text/plain');
    // The clipboard may hold a picture only.
    if (text === '') return;
    const lines = readTsv(text);
    let targets: readonly Row[];
    try {
      targets = await rowsBetween(at.row, clamp(at.row + lines.length - 1, total - 1));
    } catch {
      onPasteFailed();
      return;
    }
    const edits = lines.flatMap((line, down) =>
      line.flatMap((value, right): GridEdit<Row>[] => {
        const target = targets[down];
        const isCell = target && !isLocked(target) && at.column + right < columns.length;
        return isCell ? [{ row: target, column: at.column + right, value }] : [];
      }),
    );
    if (edits.length > 0) onEdit(edits);
  };
}

/**
 * Returns a function that makes the focus follow to a cell once it is the current one. Without it the focus stays, as
 * when a page loads.
 */
function useFocusInCell(grid: RefObject<HTMLDivElement | null>, { row, column }: Place, isEdited: boolean) {
  const goal = useRef<Place>(undefined);
  useEffect(() => {
    // An effect of the previous cell may still run after the move.
    if (isEdited || goal.current?.row !== row || goal.current.column !== column) return;
    goal.current = undefined;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  });
  return (to: Place) => {
    goal.current = to;
  };
}

/** Actions that stay the same when the current cell changes, so that rows are not rendered again. */
function useStableActions(actions: CellActions): CellActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onDraft: (text) => latest.current.onDraft(text),
      onLeave: () => latest.current.onLeave(),
    }),
    [],
  );
}
