import { memo, type ReactNode } from 'react';
import { cn } from './cn';
import type { GridColumn } from './edit-grid-types';
import { Skeleton } from './skeleton';

/** The edge of the first column, under which the others scroll. It lies on the border of the cell beside it. */
export const EDGE = '[box-shadow:1px_0_0_var(--line)]';

/** What a cell that is being edited does. */
export interface CellActions {
  onDraft: (text: string) => void;
  onLeave: () => void;
}

interface GridRowProps<Row extends object> {
  index: number;
  /** Undefined until it is loaded. */
  row: Row | undefined;
  /** Whether it passes too quickly to be read. */
  isPassing: boolean;
  /** Where the row is, in pixels; undefined below the previous one. */
  top: number | undefined;
  /** Whether it has room for messages. */
  isTall: boolean;
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
  const { index, row, isPassing, top, isTall, columns, render, column, draft, editedNote, cell } = props;
  return (
    <div
      role="row"
      aria-rowindex={index + 2}
      aria-busy={row === undefined || undefined}
      className={cn(
        'grid h-(--grid-row) grid-cols-(--grid-columns) overflow-clip border-t border-line bg-surface contain-layout contain-paint',
        top !== undefined && 'absolute inset-x-0',
      )}
      style={top === undefined ? undefined : { top }}
    >
      <div
        role="rowheader"
        className={cn(`sticky start-0 z-1 overflow-hidden bg-inherit px-3 ${EDGE}`, isTall ? 'py-2' : 'py-1.5')}
      >
        {row ? render(row) : isPassing || <Skeleton className="mt-1 h-4 w-24" />}
      </div>
      {row === undefined && column < 0
        ? null
        : columns.map((it, place) => (
            <GridCell
              key={it.id}
              place={`${index}:${place}`}
              value={row && it.valueOf(row)}
              original={row ? it.originalOf(row) : ''}
              messages={row ? it.messagesOf(row) : none}
              isTall={isTall}
              isHere={place === column}
              draft={place === column ? draft : undefined}
              label={row && place === column && draft !== undefined ? it.labelOf(row) : ''}
              editedNote={editedNote}
              cell={cell}
            />
          ))}
    </div>
  );
}

/** Rendered again only when the row, its current cell or the columns change, not when the grid scrolls. */
export const GridRow = memo(Row) as typeof Row;

const none: readonly string[] = [];

interface GridCellProps {
  place: string;
  /** Undefined until the row is loaded. */
  value: string | undefined;
  original: string;
  messages: readonly string[];
  isTall: boolean;
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

const look = 'min-w-0 overflow-hidden border-s border-line px-3 py-2 focus-visible:-outline-offset-2';

/** Most cells of a file are neither wrong nor edited, and a screen has hundreds of them: these take little. */
function GridCell(props: GridCellProps) {
  const { place, value, original, messages, isTall, isHere, draft, label, editedNote, cell } = props;
  const isEdited = value !== undefined && value !== original;
  const wrong = messages.length > 0 && !isEdited;
  return (
    <div
      role="gridcell"
      data-place={place}
      data-tip={wrong && !isTall ? messages.join(' ') : undefined}
      tabIndex={isHere && draft === undefined ? 0 : -1}
      aria-invalid={wrong || undefined}
      className={isEdited ? `${look} bg-accent-soft` : wrong ? `${look} bg-bad-soft` : look}
    >
      {draft === undefined ? (
        <span dir="auto" className="block truncate" data-tip-cut={wrong && !isTall ? undefined : true}>
          {value ?? <Skeleton className="mt-0.5 h-4 w-3/4" />}
        </span>
      ) : (
        <input
          ref={takeFocus}
          aria-label={label}
          aria-invalid={wrong || undefined}
          dir="auto"
          className="w-full min-w-0 bg-transparent outline-none pointer-coarse:text-touch pointer-coarse:leading-[20px]"
          value={draft}
          onChange={({ target }) => cell.onDraft(target.value)}
          onBlur={cell.onLeave}
        />
      )}
      {messages.length > 0 && (
        <span className={isTall ? cn('line-clamp-2 text-xs wrap-anywhere', wrong ? 'text-bad' : 'text-muted') : 'sr-only'}>
          {messages.join(' ')}
        </span>
      )}
      {isEdited && <span className="sr-only">{editedNote(original)}</span>}
    </div>
  );
}
