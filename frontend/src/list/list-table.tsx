import {
  type ColumnDef,
  columnOrderingFeature,
  columnPinningFeature,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { useText } from '@/i18n/texts';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import type { Fit } from './fit-columns';
import type { ListOrigin } from './list-origin';
import { ListRow, SelectBox } from './list-row';
import { alignsAtEnd, type CellKind, type ListColumn, type Resource, type RowActions, type RowOpening, type SortEntry } from './resource';
import { type ColumnControl, type Density, MIN_WIDTH } from './use-column-settings';
import type { Selection } from './use-selection';

const oneLine: Record<Density, string> = {
  compact: 'h-[30px]',
  default: 'h-9',
  comfortable: 'h-11',
};

const twoLines: Record<Density, string> = {
  compact: 'h-10',
  default: 'h-11',
  comfortable: 'h-13',
};

/** CSS class for the row height; skeletons and rows share it, so that the layout does not shift. */
function rowHeight(density: Density, hasTwoLines = false): string {
  return (hasTwoLines ? twoLines : oneLine)[density];
}

/** The direction of the first sort: descending for times and numbers, ascending for text. */
function firstDirection(kind: CellKind): SortEntry['direction'] {
  return kind === 'datetime' || kind === 'number' ? 'desc' : 'asc';
}

/** Cycles through the first direction, the opposite direction, and the list's default order. */
export function nextSort(
  current: readonly SortEntry[],
  column: { id: string; kind: CellKind },
  defaultSort: readonly SortEntry[],
): SortEntry[] {
  const [sorted] = current;
  const first = firstDirection(column.kind);
  if (sorted?.key !== column.id) return [{ key: column.id, direction: first }];
  if (sorted.direction === first) {
    return [{ key: column.id, direction: first === 'asc' ? 'desc' : 'asc' }];
  }
  return [...defaultSort];
}

/** Width of the checkbox column, in pixels; equals the row height. */
export const SELECT_WIDTH = 40;

/** Maximum share of the width for pinned columns. */
const MOST_PINNED = 0.6;

const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  columnPinningFeature,
  columnSizingFeature,
  columnResizingFeature,
  rowSortingFeature,
});

interface ListTableProps<Row, Data> {
  resource: Resource<Row, Data>;
  rows: Row[];
  sort: SortEntry[];
  columnControl: ColumnControl;
  density: Density;
  actions: RowActions<Row> | undefined;
  opening: RowOpening<Row> | undefined;
  selection: Selection | undefined;
  origin: ListOrigin;
  fit: Fit<ListColumn<Row>>;
  /** The row that was opened last. */
  markedId: string | undefined;
  /** Number of skeleton rows on the first load. */
  skeletons: number;
  onSort: (sort: SortEntry[]) => void;
}

export function ListTable<Row extends object, Data>(props: ListTableProps<Row, Data>) {
  const { resource, rows, sort, columnControl, density, actions, opening, skeletons, onSort } = props;
  const { settings, resize } = columnControl;
  const { selection, origin, fit, markedId } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const byId = useMemo(
    () => new Map(resource.columns.map((column) => [column.id, column])),
    [resource],
  );
  const columns = useMemo(
    () =>
      resource.columns.map(
        (column): ColumnDef<typeof features, Row> => ({
          id: column.id,
          accessorFn: (row) => column.value(row),
          header: textOf(column.labelKey),
          enableSorting: Boolean(column.sortable),
          enableHiding: !column.locked,
          minSize: MIN_WIDTH,
        }),
      ),
    [resource, textOf],
  );
  const shown = fit.columns;
  const sizes = useMemo(
    () => Object.fromEntries(fit.columns.map(({ id }, index) => [id, fit.widths[index] ?? 0])),
    [fit],
  );
  const pinned = useMemo(() => pinnedIds(fit, settings.pinned), [fit, settings.pinned]);
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: resource.rowId,
    manualSorting: true,
    state: {
      columnOrder: shown.map(({ id }) => id),
      columnPinning: { start: pinned, end: [] },
      columnSizing: sizes,
      columnVisibility: Object.fromEntries([...settings.hidden, ...fit.left].map((id) => [id, false])),
      sorting: sort.map(({ key, direction }) => ({ id: key, desc: direction === 'desc' })),
    },
    columnResizeMode: 'onEnd',
    onColumnSizingChange: (update) => {
      const next = typeof update === 'function' ? update(sizes) : update;
      const id = Object.keys(next).find((key) => next[key] !== sizes[key]);
      if (id !== undefined) resize(id, next[id]);
    },
  });
  const columnsWidth = shown.reduce((sum, column) => sum + column.width, actions?.width ?? 0);
  const width = columnsWidth + (selection ? SELECT_WIDTH : 0);
  const start = selection ? SELECT_WIDTH : 0;
  const offsets = pinned.map((id) => start + (table.getColumn(id)?.getStart('start') ?? 0));
  const asText = offsets.join();
  // The row components are memoized, so equal offsets must be passed as the same Map object.
  const pins = useMemo(
    () => new Map(pinned.map((id, at) => [id, Number(asText.split(',')[at])])),
    [pinned, asText],
  );
  const selectedHere = selection ? rows.filter((row) => selection.ids.has(resource.rowId(row))) : [];
  const height = rowHeight(density, resource.twoLines);

  return (
    <table
      className="w-full table-fixed border-collapse text-start text-sm"
      style={{ minWidth: width }}
    >
      <caption className="sr-only">{textOf(resource.texts.tableName)}</caption>
      <colgroup>
        {selection && <col style={{ width: SELECT_WIDTH }} />}
        {shown.map((column, index) => (
          <col key={column.id} style={{ width: fit.widths[index] }} />
        ))}
        {actions && <col style={{ width: actions.width }} />}
      </colgroup>
      <thead>
        {table.getHeaderGroups().map((group) => (
          <tr key={group.id}>
            {selection && (
              <th scope="col" className={cn(headerCell, 'start-0 z-11 px-0!')}>
                <SelectBox
                  label={t('selection.page')}
                  checked={rows.length > 0 && selectedHere.length === rows.length}
                  indeterminate={selectedHere.length > 0 && selectedHere.length < rows.length}
                  onChange={selection.togglePage}
                />
              </th>
            )}
            {group.headers.map((header) => {
              const column = byId.get(header.column.id);
              if (!column) return null;
              return (
                <ColumnHeader
                  key={header.id}
                  pinnedAt={pins.get(column.id)}
                  onResize={header.getResizeHandler()}
                  onResizeReset={() => resize(column.id, undefined)}
                  isResizing={header.column.getIsResizing()}
                  label={String(header.column.columnDef.header)}
                  end={alignsAtEnd(column.kind)}
                  sorted={header.column.getIsSorted()}
                  // Only one column may have `aria-sort`: the first sort column.
                  primary={header.column.getSortIndex() === 0}
                  onSort={
                    header.column.getCanSort()
                      ? () => onSort(nextSort(sort, column, resource.defaultSort))
                      : undefined
                  }
                />
              );
            })}
            {actions && (
              <th scope="col" className={headerCell}>
                <span className="sr-only">{t('actions')}</span>
              </th>
            )}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map(({ id, original }) => (
          <ListRow
            key={id}
            row={original}
            columns={shown}
            href={resource.rowHref?.(original)}
            onOpen={opening?.open}
            isOpen={opening?.openId === id}
            actions={actions?.render}
            id={id}
            isMarked={markedId === id}
            pins={pins}
            selected={selection?.ids.has(id)}
            onSelect={selection?.toggle}
            {...{ origin, height }}
          />
        ))}
        {skeletons > 0 && (
          <SkeletonRows
            count={skeletons}
            columns={shown}
            height={height}
            selectable={selection !== undefined}
          />
        )}
      </tbody>
    </table>
  );
}

/**
 * Returns the pinned columns: the locked ones, and those that the user pinned, as long as other columns have enough
 * room.
 */
function pinnedIds<Row>({ columns, widths }: Fit<ListColumn<Row>>, wanted: readonly string[]): string[] {
  const room = widths.reduce((sum, width) => sum + width, 0) * MOST_PINNED;
  let used = 0;
  return columns.flatMap(({ id, locked }, index) => {
    if (!locked && !wanted.includes(id)) return [];
    used += widths[index] ?? 0;
    return locked || used <= room ? [id] : [];
  });
}

interface ColumnHeaderProps {
  label: string;
  end: boolean;
  sorted: false | 'asc' | 'desc';
  primary: boolean;
  onSort: (() => void) | undefined;
  /** Offset of a pinned column from the edge, in pixels. */
  pinnedAt: number | undefined;
  onResize: (event: unknown) => void;
  /** Resets the width to automatic. */
  onResizeReset: () => void;
  isResizing: boolean;
}

// The line is a shadow, because the border of a sticky cell would scroll away.
const headerCell =
  'sticky top-0 z-10 h-9 bg-raised px-3 text-xs font-medium whitespace-nowrap [box-shadow:inset_0_-1px_0_var(--line)]';

const words = { asc: 'ascending', desc: 'descending' } as const;

function ColumnHeader(props: ColumnHeaderProps) {
  const { label, end, sorted, primary, onSort, pinnedAt, onResize, onResizeReset, isResizing } = props;
  const Arrow = sorted === 'asc' ? ArrowUp : sorted === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={sorted && primary ? words[sorted] : undefined}
      className={cn(
        headerCell,
        end && 'text-end',
        sorted ? 'text-fg' : 'text-muted',
        pinnedAt !== undefined && 'z-11',
      )}
      style={{ insetInlineStart: pinnedAt }}
      data-tip-cut
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cn(
            'group -mx-1.5 inline-flex h-7 max-w-[calc(100%+0.75rem)] items-center gap-1 rounded-box px-1.5 hover:bg-hover hover:text-fg',
            end && 'flex-row-reverse',
          )}
        >
          <span className="truncate">{label}</span>
          <Arrow
            aria-hidden
            className={cn(
              'size-3.5 shrink-0',
              !sorted && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
            )}
          />
        </button>
      ) : (
        <span className="block truncate">{label}</span>
      )}
      {/* For mouse and touch only; the column chooser does the same by keyboard. */}
      <span
        aria-hidden
        onMouseDown={onResize}
        onTouchStart={onResize}
        onDoubleClick={onResizeReset}
        className={cn(
          'absolute inset-y-1 end-0 w-2 cursor-col-resize touch-none border-e-2 select-none',
          isResizing ? 'border-accent' : 'border-transparent hover:border-line2',
        )}
      />
    </th>
  );
}

interface SkeletonRowsProps {
  count: number;
  columns: readonly Pick<ListColumn<never>, 'id' | 'kind'>[];
  /** CSS class for the row height. */
  height: string;
  /** Whether there is a checkbox column. */
  selectable: boolean;
}

// The bars differ in width to resemble real text.
const widths = ['w-4/5', 'w-3/4', 'w-3/5', 'w-11/12', 'w-2/3'];

/** Skeleton rows with the height of real rows, so that the layout does not shift when data arrives. */
function SkeletonRows({ count, columns, height, selectable }: SkeletonRowsProps) {
  return Array.from({ length: count }, (_, row) => (
    <tr key={row} aria-hidden className={cn('border-b border-line', height)}>
      {selectable && (
        <td>
          <Skeleton className="mx-auto size-4 rounded-box" />
        </td>
      )}
      {columns.map(({ id, kind }, index) => (
        <td key={id} className="px-3">
          <Skeleton
            className={cn(
              'h-2.5 rounded-full',
              kind === 'number' ? 'w-8' : widths[(row + index * 2) % widths.length],
              alignsAtEnd(kind) && 'ms-auto',
            )}
          />
        </td>
      ))}
    </tr>
  ));
}
