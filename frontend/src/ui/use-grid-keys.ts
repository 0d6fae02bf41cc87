import { type ClipboardEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import type { CellActions } from './edit-grid-row';
import type { EditGridProps, GridEdit, Place } from './edit-grid-types';

/** Whether a key enters a character, which replaces the value as in a spreadsheet. */
const types = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;

const clamp = (value: number, last: number) => Math.max(0, Math.min(value, last));

/** The current cell, what is typed into it, and the keys that move and edit. `total` is the number of rows. */
export function useGridKeys<Row extends object>(props: EditGridProps<Row>, total: number) {
  const { columns, rowAt, rowHeight, isLocked, onMove, onEdit, rowsBetween } = props;
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
    follow();
    onMove({ row: clamp(row + down, total - 1), column: clamp(column + right, columns.length - 1) });
  }

  function edit(text: string) {
    if (current && !isLocked(current)) setDraft(text);
  }

  /** Ends editing and moves to another cell. If `value` is undefined, the cell keeps its previous value. */
  function end(value: string | undefined, down = 0, right = 0) {
    if (current && !isLocked(current) && value !== undefined && value !== here) {
      onEdit([{ row: current, column, value }]);
    }
    setDraft(undefined);
    move(down, right);
  }

  function onKeys(event: KeyboardEvent) {
    const { key, ctrlKey, metaKey, shiftKey } = event;
    const whole = ctrlKey || metaKey;
    const page = Math.max(1, Math.floor((grid.current?.clientHeight ?? 0) / rowHeight) - 1);
    const steps: Record<string, () => void> =
      draft === undefined
        ? {
            ArrowUp: () => move(whole ? -total : -1, 0),
            ArrowDown: () => move(whole ? total : 1, 0),
            ArrowLeft: () => move(0, whole ? -columns.length : -1),
            ArrowRight: () => move(0, whole ? columns.length : 1),
            PageUp: () => move(-page, 0),
            PageDown: () => move(page, 0),
            Home: () => move(whole ? -total : 0, -columns.length),
            End: () => move(whole ? total : 0, columns.length),
            Enter: () => edit(here),
            F2: () => edit(here),
            Delete: () => end(''),
            Backspace: () => end(''),
          }
        : {
            Enter: () => end(draft, shiftKey ? -1 : 1),
            Tab: () => end(draft, 0, shiftKey ? -1 : 1),
            Escape: () => end(undefined),
          };
    const step = steps[key];
    if (step) {
      event.preventDefault();
      step();
    } else if (draft === undefined && types(event)) {
      event.preventDefault();
      edit(key);
    }
  }

  /** Pastes cells from a spreadsheet, starting at the focused cell. */
  async function onPaste(event: ClipboardEvent) {
    if (draft !== undefined) return;
    event.preventDefault();
    const lines = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '').split(/\r?\n/);
    const targets = await rowsBetween(row, clamp(row + lines.length - 1, total - 1));
    const edits = lines.flatMap((line, down) =>
      line.split('\t').flatMap((value, right): GridEdit<Row>[] => {
        const target = targets[down];
        const isCell = target && !isLocked(target) && column + right < columns.length;
        return isCell ? [{ row: target, column: column + right, value }] : [];
      }),
    );
    if (edits.length > 0) onEdit(edits);
  }

  function onCopy(event: ClipboardEvent) {
    if (draft !== undefined) return;
    event.preventDefault();
    event.clipboardData.setData('text/plain', here);
  }

  /** Saves what was typed when the input loses the focus. */
  function leave() {
    if (draft === undefined) return;
    if (current && draft !== here) onEdit([{ row: current, column, value: draft }]);
    setDraft(undefined);
  }

  function focus(to: Place) {
    if (to.row !== row || to.column !== column) onMove(to);
  }

  return {
    grid,
    at,
    draft,
    onKeys,
    onPaste,
    onCopy,
    cell: useStableActions({ focus, edit: () => edit(here), draft: setDraft, leave }),
  };
}

/** Returns a function after which the focus follows the current cell. It does not before, as when a page loads. */
function useFocusInCell(grid: React.RefObject<HTMLDivElement | null>, { row, column }: Place, isEdited: boolean) {
  const follows = useRef(false);
  useEffect(() => {
    if (!follows.current || isEdited) return;
    follows.current = false;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    cell?.focus({ preventScroll: true });
    cell?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  });
  return () => {
    follows.current = true;
  };
}

interface Latest {
  focus: (to: Place) => void;
  edit: () => void;
  draft: (text: string) => void;
  leave: () => void;
}

/** The actions of cells, which stay the same when the current cell changes, so that rows are not rendered again. */
function useStableActions(actions: Latest): CellActions {
  const latest = useRef(actions);
  useEffect(() => {
    latest.current = actions;
  });
  return useMemo(
    () => ({
      onFocus: (row, column) => latest.current.focus({ row, column }),
      onEdit: () => latest.current.edit(),
      onDraft: (text) => latest.current.draft(text),
      onLeave: () => latest.current.leave(),
    }),
    [],
  );
}
