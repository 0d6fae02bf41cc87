import { memo, type ReactNode } from 'react';
import { cn } from './cn';
import type { GridColumn } from './edit-grid-types';
import { Skeleton } from './skeleton';

export const FIRST = 220;
export const WIDTH = 168;

/** What cells do, the same for all of them. */
export interface CellActions {
  onFocus: (row: number, column: number) => void;
  onEdit: () => void;
  onDraft: (text: string) => void;
  onLeave: () => void;
}

interface GridRowProps<Row extends object> {
  index: number;
  /** Undefined until it is loaded. */
  row: Row | undefined;
  top: number;
  height: number;
  template: { gridTemplateColumns: string; minWidth: number };
  columns: readonly GridColumn<Row>[];
  render: (row: Row) => ReactNode;
  /** The column of the current cell; -1 if that is in another row. */
  column: number;
  /** The value being edited in the current cell. */
  draft: string | undefined;
  editedNote: (original: string) => string;
  cell: CellActions;
}

function Row<Data extends object>(props: GridRowProps<Data>) {
  const { index, row, top, height, template, columns, render, column, draft, editedNote, cell } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      className="absolute inset-x-0 grid overflow-clip border-t border-line bg-surface"
      style={{ ...template, top, height }}
    >
      <div role="rowheader" className="sticky start-0 z-1 overflow-hidden bg-inherit px-3 py-2">
        {row ? render(row) : <Skeleton className="h-4 w-24" />}
      </div>
      {columns.map((it, place) => {
        const isHere = place === column;
        return (
          <GridCell
            key={it.id}
            row={index}
            column={place}
            value={row && it.valueOf(row)}
            original={row ? it.originalOf(row) : ''}
            messages={row ? it.messagesOf(row) : none}
            isHere={isHere}
            draft={isHere ? draft : undefined}
            label={row && isHere && draft !== undefined ? it.labelOf(row) : ''}
            editedNote={editedNote}
            cell={cell}
          />
        );
      })}
    </div>
  );
}

/** Rendered again only when the row, its current cell or the columns change, not when the grid scrolls. */
export const GridRow = memo(Row) as typeof Row;

const none: readonly string[] = [];

interface GridCellProps {
  row: number;
  column: number;
  /** Undefined until the row is loaded. */
  value: string | undefined;
  original: string;
  messages: readonly string[];
  isHere: boolean;
  /** The value being edited. */
  draft: string | undefined;
  label: string;
  editedNote: (original: string) => string;
  cell: CellActions;
}

/** Puts the cursor at the end of the value. */
function takeFocus(input: HTMLInputElement | null) {
  input?.focus();
  input?.setSelectionRange(input.value.length, input.value.length);
}

function GridCell(props: GridCellProps) {
  const { row, column, value, original, messages, isHere, draft, label, editedNote, cell } = props;
  const isEdited = value !== undefined && value !== original;
  const wrong = messages.length > 0 && !isEdited;
  return (
    <div
      role="gridcell"
      data-place={`${row}:${column}`}
      tabIndex={isHere && draft === undefined ? 0 : -1}
      aria-invalid={wrong || undefined}
      className={cn(
        'min-w-0 overflow-hidden border-s border-line px-3 py-2 focus-visible:-outline-offset-2',
        isEdited ? 'bg-accent-soft' : wrong && 'bg-bad-soft',
      )}
      onFocus={() => cell.onFocus(row, column)}
      onDoubleClick={cell.onEdit}
    >
      {draft === undefined ? (
        <span dir="auto" className="block min-h-5 truncate" data-tip-cut>
          {value ?? <Skeleton className="h-4 w-3/4" />}
        </span>
      ) : (
        <input
          ref={takeFocus}
          aria-label={label}
          aria-invalid={wrong || undefined}
          dir="auto"
          className="w-full min-w-0 bg-transparent outline-none"
          value={draft}
          onChange={({ target }) => cell.onDraft(target.value)}
          onBlur={cell.onLeave}
        />
      )}
      {messages.length > 0 && (
        <span className={cn('block text-xs [overflow-wrap:anywhere]', wrong ? 'text-bad' : 'text-muted')}>
          {messages.join(' ')}
        </span>
      )}
      {isEdited && <span className="sr-only">{editedNote(original)}</span>}
    </div>
  );
}
