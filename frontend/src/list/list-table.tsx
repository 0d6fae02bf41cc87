import {
  columnOrderingFeature,
  columnVisibilityFeature,
  rowSortingFeature,
  tableFeatures,
  useTable,
  type ColumnDef,
} from '@tanstack/react-table';
import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from '@/ui/cn';
import { ColumnHeader, headerCell } from './column-header';
import type { Fit } from './fit-columns';
import type { ListOrigin } from './list-origin';
import { ListRow } from './list-row';
import type { ListColumn, Resource, RowActions, RowOpening, SortEntry } from './resource';
import { rowHeight } from './row-heights';
import { SkeletonRows } from './skeleton-rows';
import { SelectBox } from './select-box';
import { nextSort } from './sorting';
import type { ColumnSettings, Density } from './use-column-settings';
import type { Selection } from './use-selection';

/** As wide as a row is high. */
export const SELECT_WIDTH = 40;

/** Where the first column stays while the others scroll sideways: at the edge, or after the column of boxes. */
const PINNED_FIRST = 'left-0';
const PINNED_AFTER_BOX = 'left-10';

const features = tableFeatures({
  columnVisibilityFeature,
  columnOrderingFeature,
  rowSortingFeature,
});

interface ListTableProps<Row, Data> {
  resource: Resource<Row, Data>;
  rows: Row[];
  sort: SortEntry[];
  settings: ColumnSettings;
  density: Density;
  actions: RowActions<Row> | undefined;
  opening: RowOpening<Row> | undefined;
  selection: Selection | undefined;
  origin: ListOrigin;
  fit: Fit<ListColumn<Row>>;
  /** The row that was opened last. */
  markedId: string | undefined;
  /** Rows to draw in place of data on the first load. */
  skeletons: number;
  onSort: (sort: SortEntry[]) => void;
}

export function ListTable<Row extends object, Data>(props: ListTableProps<Row, Data>) {
  const { resource, rows, sort, settings, density, actions, opening, skeletons, onSort } = props;
  const { selection, origin, fit, markedId } = props;
  const { t } = useTranslation('list');
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
          header: () => t(column.labelKey),
          enableSorting: Boolean(column.sortable),
          enableHiding: !column.locked,
        }),
      ),
    [resource, t],
  );
  const table = useTable({
    features,
    columns,
    data: rows,
    getRowId: resource.rowId,
    manualSorting: true,
    state: {
      columnOrder: settings.order,
      columnVisibility: Object.fromEntries([...settings.hidden, ...fit.left].map((id) => [id, false])),
      sorting: sort.map(({ key, direction }) => ({ id: key, desc: direction === 'desc' })),
    },
  });
  const shown = fit.columns;
  const columnsWidth = shown.reduce((sum, column) => sum + column.width, actions?.width ?? 0);
  const width = columnsWidth + (selection ? SELECT_WIDTH : 0);
  const pinnedAt = selection ? PINNED_AFTER_BOX : PINNED_FIRST;
  const selectedHere = selection ? rows.filter((row) => selection.ids.has(resource.rowId(row))) : [];
  const height = rowHeight(density, resource.twoLines);

  return (
    <table
      className="w-full table-fixed border-collapse text-left text-sm"
      style={{ minWidth: width }}
    >
      <caption className="sr-only">{t(resource.texts.tableName)}</caption>
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
              <th scope="col" className={cn(headerCell, 'left-0 z-11 px-0!')}>
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
                  className={column.locked && cn('z-11', pinnedAt)}
                  label={t(column.labelKey)}
                  end={column.kind === 'number'}
                  sorted={header.column.getIsSorted()}
                  // One column may carry aria-sort: the first of several orders.
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
            pinnedAt={pinnedAt}
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
