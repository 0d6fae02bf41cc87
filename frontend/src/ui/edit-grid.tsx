import { type ClipboardEvent, type KeyboardEvent, type ReactNode, type RefObject, useEffect, useRef, useState } from 'react';
import { cn } from './cn';

/** A cell, by its position among the rows and columns. */
export interface Place {
  row: number;
  column: number;
}

export interface GridColumn<Row> {
  /** Unique, unlike the heading: two columns of a file can have the same heading. */
  id: string;
  header: string;
  valueOf: (row: Row) => string;
  /** The value before it was edited. */
  originalOf: (row: Row) => string;
  /** What is wrong with the original value. */
  messagesOf: (row: Row) => readonly string[];
  /** Accessible name of the input. */
  labelOf: (row: Row) => string;
}

export interface GridEdit<Row> {
  row: Row;
  /** Index of the column in `columns`. */
  column: number;
  value: string;
}

interface EditGridProps<Row extends object> {
  labelledBy: string;
  columns: readonly GridColumn<Row>[];
  /** The first column, which names the rows and stays while the others scroll. */
  names: { header: string; render: (row: Row) => ReactNode };
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  /** Rows that cannot be edited. */
  isLocked: (row: Row) => boolean;
  /** Number of all rows. `offset` is the number of rows before the shown ones. */
  total: number;
  offset: number;
  /** Tells a screen reader that a cell was edited. */
  editedNote: (original: string) => string;
  at: Place;
  onMove: (at: Place) => void;
  onEdit: (edits: GridEdit<Row>[]) => void;
}

const FIRST = 220;
const WIDTH = 168;
const headCell = 'truncate px-3 py-2 text-xs font-medium text-muted';

/** Whether a key enters a character, which replaces the value as in a spreadsheet. */
const types = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent) =>
  key.length === 1 && !ctrlKey && !metaKey && !altKey;

/** A grid whose cells are edited in place, with the keys of a spreadsheet. */
export function EditGrid<Row extends object>(props: EditGridProps<Row>) {
  const { labelledBy, columns, names, rows, rowKey, total, offset, editedNote } = props;
  const { grid, at, draft, setDraft, onKeys, onPaste, onCopy, focus, edit, leave } = useGridKeys(props);
  useFirstWrongInView(grid);
  const template = {
    gridTemplateColumns: `${FIRST}px repeat(${columns.length}, minmax(${WIDTH}px, 1fr))`,
    minWidth: FIRST + columns.length * WIDTH,
  };
  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={-1}
      aria-labelledby={labelledBy}
      aria-rowcount={total + 1}
      aria-colcount={columns.length + 1}
      className="max-h-[70vh] overflow-auto text-sm"
      onKeyDown={onKeys}
      onPaste={onPaste}
      onCopy={onCopy}
    >
      <div role="row" aria-rowindex={1} className="sticky top-0 z-2 grid bg-raised" style={template}>
        <span role="columnheader" className={cn(headCell, 'sticky start-0 bg-raised')}>
          {names.header}
        </span>
        {columns.map(({ id, header }) => (
          <span key={id} role="columnheader" className={headCell} data-tip-cut>
            {header}
          </span>
        ))}
      </div>
      {rows.map((row, index) => (
        <div
          key={rowKey(row)}
          role="row"
          aria-rowindex={offset + index + 2}
          className="grid border-t border-line bg-surface"
          style={template}
        >
          <div role="rowheader" className="sticky start-0 z-1 bg-inherit px-3 py-2">
            {names.render(row)}
          </div>
          {columns.map((column, place) => {
            const isHere = index === at.row && place === at.column;
            return (
              <GridCell
                key={column.id}
                place={`${index}:${place}`}
                value={column.valueOf(row)}
                original={column.originalOf(row)}
                messages={column.messagesOf(row)}
                isHere={isHere}
                draft={isHere ? draft : undefined}
                label={column.labelOf(row)}
                editedNote={editedNote}
                onFocus={() => !isHere && focus({ row: index, column: place })}
                onEdit={edit}
                onDraft={setDraft}
                onLeave={leave}
              />
            );
          })}
        </div>
      ))}
    </div>
  );
}

/** Scrolls sideways to the first wrong cell. It does not scroll down, since the instructions are above the grid. */
function useFirstWrongInView(grid: RefObject<HTMLDivElement | null>) {
  useEffect(() => {
    const wrong = grid.current?.querySelector('[role="gridcell"][aria-invalid]');
    if (!grid.current || !wrong) return;
    const [outer, inner] = [grid.current.getBoundingClientRect(), wrong.getBoundingClientRect()];
    const left = inner.right > outer.right ? inner.right - outer.right : Math.min(0, inner.left - outer.left);
    if (left !== 0) grid.current.scrollBy({ left });
  }, [grid]);
}

/** The current cell, what is typed into it, and the keys that move and edit. */
function useGridKeys<Row extends object>(props: EditGridProps<Row>) {
  const { columns, rows, isLocked, onMove, onEdit } = props;
  const grid = useRef<HTMLDivElement>(null);
  // Move the focus into a cell only after a key, not when the page loads.
  const follows = useRef(false);
  const [draft, setDraft] = useState<string>();
  const lastRow = rows.length - 1;
  const row = Math.min(props.at.row, lastRow);
  const column = Math.min(props.at.column, columns.length - 1);
  const current = rows[row];
  const here = (current && columns[column]?.valueOf(current)) ?? '';

  useEffect(() => {
    if (!follows.current || draft !== undefined) return;
    follows.current = false;
    const cell = grid.current?.querySelector<HTMLElement>(`[data-place="${row}:${column}"]`);
    cell?.focus();
    cell?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' });
  }, [row, column, draft]);

  function move(down: number, right: number) {
    const clamp = (value: number, last: number) => Math.max(0, Math.min(value, last));
    follows.current = true;
    onMove({ row: clamp(row + down, lastRow), column: clamp(column + right, columns.length - 1) });
  }

  function edit(text: string) {
    if (current && !isLocked(current)) setDraft(text);
  }

  /** Ends editing and moves to another cell. If `value` is undefined, the cell keeps its previous value. */
  function end(value: string | undefined, down = 0, right = 0) {
    if (current && value !== undefined && value !== here) onEdit([{ row: current, column, value }]);
    setDraft(undefined);
    move(down, right);
  }

  function onKeys(event: KeyboardEvent) {
    const { key, ctrlKey, metaKey, shiftKey } = event;
    const whole = ctrlKey || metaKey;
    const steps: Record<string, () => void> =
      draft === undefined
        ? {
            ArrowUp: () => move(whole ? -rows.length : -1, 0),
            ArrowDown: () => move(whole ? rows.length : 1, 0),
            ArrowLeft: () => move(0, whole ? -columns.length : -1),
            ArrowRight: () => move(0, whole ? columns.length : 1),
            Home: () => move(whole ? -rows.length : 0, -columns.length),
            End: () => move(whole ? rows.length : 0, columns.length),
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
  function onPaste(event: ClipboardEvent) {
    if (draft !== undefined) return;
    event.preventDefault();
    const lines = event.clipboardData.getData('text/plain').replace(/\r?\n$/, '').split(/\r?\n/);
    const edits = lines.flatMap((line, down) =>
      line.split('\t').flatMap((value, right): GridEdit<Row>[] => {
        const target = rows[row + down];
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

  return {
    grid,
    at: { row, column },
    draft,
    setDraft,
    onKeys,
    onPaste,
    onCopy,
    focus: onMove,
    edit: () => edit(here),
    leave,
  };
}

interface GridCellProps {
  place: string;
  value: string;
  original: string;
  messages: readonly string[];
  isHere: boolean;
  /** The value being edited. */
  draft: string | undefined;
  label: string;
  editedNote: (original: string) => string;
  onFocus: () => void;
  onEdit: () => void;
  onDraft: (text: string) => void;
  onLeave: () => void;
}

/** Puts the cursor at the end of the value. */
function takeFocus(input: HTMLInputElement | null) {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}

function GridCell(props: GridCellProps) {
  const { place, value, original, messages, isHere, draft, label, editedNote } = props;
  const isEdited = value !== original;
  const wrong = messages.length > 0 && !isEdited;
  return (
    <div
      role="gridcell"
      data-place={place}
      tabIndex={isHere && draft === undefined ? 0 : -1}
      aria-invalid={wrong || undefined}
      className={cn(
        'min-w-0 border-s border-line px-3 py-2 wrap-anywhere focus-visible:-outline-offset-2',
        isEdited ? 'bg-accent-soft' : wrong && 'bg-bad-soft',
      )}
      onFocus={props.onFocus}
      onDoubleClick={props.onEdit}
    >
      {draft === undefined ? (
        <span dir="auto">{value}</span>
      ) : (
        <input
          ref={takeFocus}
          aria-label={label}
          aria-invalid={wrong || undefined}
          dir="auto"
          className="w-full min-w-0 bg-transparent outline-none"
          value={draft}
          onChange={({ target }) => props.onDraft(target.value)}
          onBlur={props.onLeave}
        />
      )}
      {messages.map((text) => (
        <span key={text} className={cn('mt-0.5 block text-xs', wrong ? 'text-bad' : 'text-muted')}>
          {text}
        </span>
      ))}
      {isEdited && <span className="sr-only">{editedNote(original)}</span>}
    </div>
  );
}
