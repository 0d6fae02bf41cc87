import { defaultRangeExtractor, observeElementRect, type Range, useVirtualizer, type VirtualItem } from '@tanstack/react-virtual';
import { type CSSProperties, type MouseEvent, type PointerEvent, useCallback, useEffect, useMemo, useRef } from 'react';
import { cn } from './cn';
import { EDGE, GridRow } from './edit-grid-row';
import type { EditGridProps, Place } from './edit-grid-types';
import { useGridKeys } from './use-grid-keys';

export type { EditGridProps, GridColumn, GridEdit, Place } from './edit-grid-types';

const HEAD = 33;
const FIRST = 220;
const WIDTH = 168;
/** Rows of at least this height have room for messages, in pixels. In others, messages are shown on hover. */
const TALL = 60;
const AROUND = 4;
/** Rows that pass faster than so many a frame are shown without their cells, which nobody can read. */
const READABLE = 8;
/** Height of the grid in pixels, assumed before layout. */
const USUAL_HEIGHT = 600;
/** Browsers cut off elements that are higher, in pixels. */
const MAX_HEIGHT = 16_000_000;
const headCell = 'truncate px-3 py-2 text-xs font-medium text-muted';

/** Reports the usual height before layout, and in tests, which have no layout. */
const observeBox: typeof observeElementRect<HTMLDivElement> = (instance, report) =>
  observeElementRect(instance, (rect) => report({ ...rect, height: rect.height || USUAL_HEIGHT }));

/** Returns how many rows of a grid can be reached. */
export const reachableRows = (total: number, rowHeight: number) =>
  Math.min(total, Math.floor(MAX_HEIGHT / rowHeight));

/**
 * A grid whose cells are edited in place, with the keys of a spreadsheet. Only the rows in view are rendered, and the
 * row of the current cell, so that the focus stays while others scroll by.
 */
export function EditGrid<Row extends object>(props: EditGridProps<Row>) {
  const { labelledBy, columns, names, rowAt, rowHeight, editedNote, onView } = props;
  const total = reachableRows(props.total, rowHeight);
  const { grid, at, draft, cell, ...actions } = useGridKeys(props, total);
  const tap = useSecondTap((target) => actions.onDoubleClick(placeOf(target)));
  const speed = useMemo(createSpeed, []);
  // oxlint-disable-next-line react/incompatible-library -- concerns the React Compiler, which is not used
  const { getTotalSize, getVirtualItems, range, isScrolling } = useVirtualizer({
    count: total,
    estimateSize: () => rowHeight,
    overscan: AROUND,
    getScrollElement: () => grid.current,
    observeElementRect: observeBox,
    scrollMargin: HEAD,
    rangeExtractor: useCallback(
      (shown: Range) => {
        speed.note(shown.startIndex);
        return withRow(defaultRangeExtractor(shown), at.row);
      },
      [speed, at.row],
    ),
  });
  const passes = isScrolling && speed.isFast();
  const [from, to] = [range?.startIndex ?? 0, range?.endIndex ?? 0];
  useEffect(() => onView(from, to), [onView, from, to]);
  useFirstWrongInView(grid, rowAt(0) !== undefined);
  const template = {
    '--grid-columns': `${FIRST}px repeat(${columns.length}, minmax(${WIDTH}px, 1fr))`,
    '--grid-row': `${rowHeight}px`,
    scrollPaddingTop: HEAD,
    scrollPaddingInlineStart: FIRST,
  } as CSSProperties;
  const minWidth = FIRST + columns.length * WIDTH;
  const items = getVirtualItems();
  const apart = outOfView(items, at.row);
  return (
    <div
      ref={grid}
      role="grid"
      tabIndex={-1}
      aria-labelledby={labelledBy}
      aria-rowcount={props.total + 1}
      aria-colcount={columns.length + 1}
      className="max-h-[70vh] overflow-auto text-sm"
      style={template}
      onKeyDown={actions.onKeys}
      onPaste={(event) => void actions.onPaste(event)}
      onCopy={actions.onCopy}
      onFocus={({ target }) => actions.onFocus(placeOf(target))}
      onDoubleClick={({ target }) => actions.onDoubleClick(placeOf(target as Element))}
      {...tap}
    >
      <div role="row" aria-rowindex={1} className="sticky top-0 z-2 grid grid-cols-(--grid-columns) bg-raised" style={{ minWidth }}>
        <span role="columnheader" className={cn(headCell, 'sticky start-0 z-1 bg-raised', EDGE)}>
          {names.header}
        </span>
        {columns.map(({ id, header }) => (
          <span key={id} role="columnheader" className={headCell} data-tip-cut>
            {header}
          </span>
        ))}
      </div>
      {/* Rows in view follow one another, since the browser takes longer for each row that has a style of its own. */}
      <div
        role="rowgroup"
        className="relative"
        style={{ height: getTotalSize(), minWidth, paddingTop: ((apart === items[0] ? items[1] : items[0])?.start ?? HEAD) - HEAD }}
      >
        {items.map(({ index, start }) => (
          <GridRow
            key={index}
            index={index}
            row={passes && index !== at.row ? undefined : rowAt(index)}
            isPassing={passes}
            top={index === apart?.index ? start - HEAD : undefined}
            isTall={rowHeight >= TALL}
            columns={columns}
            render={names.render}
            column={index === at.row ? at.column : -1}
            draft={index === at.row ? draft : undefined}
            editedNote={editedNote}
            cell={cell}
          />
        ))}
      </div>
    </div>
  );
}

/** Edits the current cell when a finger taps it, because a touchscreen has no keys until something is edited. */
function useSecondTap(onEdit: (target: Element) => void) {
  const isSecond = useRef(false);
  return {
    onPointerDown: ({ target, pointerType }: PointerEvent) => {
      const cell = (target as Element).closest('[role="gridcell"]');
      isSecond.current = pointerType === 'touch' && cell !== null && cell === document.activeElement;
    },
    onClick: ({ target }: MouseEvent) => {
      if (isSecond.current) onEdit(target as Element);
      isSecond.current = false;
    },
  };
}

/** The cell that an element is in. */
function placeOf(element: Element): Place | undefined {
  const [row, column] = element.closest<HTMLElement>('[data-place]')?.dataset.place?.split(':') ?? [];
  return row === undefined ? undefined : { row: Number(row), column: Number(column) };
}

/** Returns the row of the current cell if it is not among the rows in view. */
function outOfView(items: VirtualItem[], row: number): VirtualItem | undefined {
  const place = items.findIndex(({ index }) => index === row);
  const isNext = (other: VirtualItem | undefined) => other !== undefined && Math.abs(other.index - row) === 1;
  const isTogether = items.length === 1 || isNext(items[place - 1]) || isNext(items[place + 1]);
  return isTogether ? undefined : items[place];
}

/** Notes how far the rows in view move at a time. */
function createSpeed() {
  let [before, distance] = [0, 0];
  return {
    note(start: number) {
      distance = Math.abs(start - before);
      before = start;
    },
    isFast: () => distance > READABLE,
  };
}

function withRow(shown: number[], row: number): number[] {
  return shown.includes(row) || row < 0 ? shown : [...shown, row].toSorted((a, b) => a - b);
}

/** Scrolls sideways to the first wrong cell. It does not scroll down, since the instructions are above the grid. */
function useFirstWrongInView(grid: React.RefObject<HTMLDivElement | null>, isLoaded: boolean) {
  const done = useRef(false);
  useEffect(() => {
    if (!isLoaded || done.current || !grid.current?.querySelector('[role="gridcell"]')) return;
    done.current = true;
    const wrong = grid.current?.querySelector('[role="gridcell"][aria-invalid]');
    if (!grid.current || !wrong) return;
    const [outer, inner] = [grid.current.getBoundingClientRect(), wrong.getBoundingClientRect()];
    const left = inner.right > outer.right ? inner.right - outer.right : Math.min(0, inner.left - outer.left - FIRST);
    if (left !== 0) grid.current.scrollBy?.({ left });
  });
}
