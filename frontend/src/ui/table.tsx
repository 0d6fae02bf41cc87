import {
  type CellContext,
  type ColumnDef,
  type ColumnDefTemplate,
  type Row as ModelRow,
  tableFeatures,
  useTable,
} from '@tanstack/react-table';
import { type ComponentType, memo, type ReactNode, useMemo } from 'react';
import { cn } from './cn';
import { looks, type TableLook } from './table-looks';
import { Tip } from './tip';

export interface TableColumn<Row> {
  id: string;
  /** Heading of the column. If no column has one, the table has no header. */
  header?: ReactNode;
  render: (row: Row) => ReactNode;
  /** Content of the column's footer cell. If no column has one, the table has no footer. */
  footer?: ReactNode;
  /** Whether the cells of this column are row headers. */
  names?: boolean;
  end?: boolean;
  /** Class of the column's header and cells. */
  className?: string;
  headClassName?: string;
  cellClassName?: string | ((row: Row) => string);
  /** Tooltips, which are shown on hover and on focus. */
  headTip?: string;
  tip?: (row: Row) => string | undefined;
  /** How many rows a cell covers. It is 0 where a cell of an earlier row covers this one. */
  span?: (row: Row) => number;
}

interface PrepareProps<Row, Shown> {
  row: Row;
  index: number;
  /** Draws the row that has been prepared. */
  children: (shown: Shown) => ReactNode;
}

interface TableProps<Row extends object, Shown> {
  look: TableLook;
  /** Without a caption, name the region around the table. */
  caption?: string;
  className?: string;
  /** Stable between renders, so that unchanged rows are not rendered again. */
  columns: readonly TableColumn<NoInfer<Shown>>[];
  rows: readonly Row[];
  rowKey: (row: NoInfer<Row>, index: number) => string;
  /** Prepares each row for its columns, for example with hooks. */
  prepare?: ComponentType<PrepareProps<Row, Shown>>;
  rowClassName?: (row: NoInfer<Shown>) => string | undefined | false;
  /** Rows with the same key share a `tbody`. */
  groupKey?: (row: NoInfer<Row>) => string;
  /** Key of the highlighted row. A change renders only the rows that gain or lose the highlight. */
  markedKey?: string | undefined;
  /** Called with the row under the mouse. Stable between renders, like `columns`. */
  onHover?: (row: NoInfer<Row> | undefined) => void;
}

const features = tableFeatures({});
type Features = typeof features;
/** The input of a cell template: the cell's context, and the prepared row. */
type ShownCell<Row extends object, Shown> = CellContext<Features, Row> & { shown: Shown };

/**
 * Calls a template as a function instead of rendering it as a component. As components, redefined columns would be
 * mounted again, and their inputs would lose the focus.
 */
function draw<Props extends object>(template: ColumnDefTemplate<Props> | undefined, props: Props): ReactNode {
  return typeof template === 'function' ? (template(props) as ReactNode) : template;
}

/** A table that is read, or edited in place. Use a list for sorting, filtering or selection. */
export function Table<Row extends object, Shown = Row>(props: TableProps<Row, Shown>) {
  const { look, caption, className, columns, rows, rowKey, prepare, rowClassName, groupKey, markedKey, onHover } = props;
  const classes = looks[look];
  const byId = useMemo(() => new Map(columns.map((column) => [column.id, column])), [columns]);
  const table = useTable({
    features,
    columns: useMemo(
      () =>
        columns.map(
          ({ id, header, footer, render }): ColumnDef<Features, Row> => ({
            id,
            header: () => header,
            footer: () => footer,
            cell: (cell) => render((cell as ShownCell<Row, Shown>).shown),
          }),
        ),
      [columns],
    ),
    data: rows,
    getRowId: rowKey,
  });
  const shown = table.getRowModel().rows;
  const [headers] = table.getHeaderGroups();
  const [footers] = table.getFooterGroups();
  return (
    <table className={cn('w-full text-sm', classes.table, className)}>
      {caption !== undefined && <caption className="sr-only">{caption}</caption>}
      {headers && columns.some(({ header }) => header !== undefined) && (
        <thead className={classes.head || undefined}>
          <tr className={classes.headRow || undefined}>
            {headers.headers.map((header) => {
              const { end, className: own, headClassName, headTip } = byId.get(header.column.id) ?? {};
              return (
                <th
                  key={header.id}
                  scope="col"
                  className={cn(classes.headCell, end && 'text-end', own, headClassName)}
                >
                  <Tip tip={headTip}>{draw(header.column.columnDef.header, header.getContext())}</Tip>
                </th>
              );
            })}
          </tr>
        </thead>
      )}
      {grouped(shown, groupKey).map(([key, group]) => (
        <tbody key={key} className={classes.group || undefined}>
          {group.map((row) => (
            <TableRow<Row, Shown>
              key={row.id}
              {...{ row, byId, classes, prepare, rowClassName, onHover }}
              isMarked={row.id === markedKey}
            />
          ))}
        </tbody>
      ))}
      {footers && columns.some(({ footer }) => footer !== undefined) && (
        // On paper, a table footer would repeat on every page.
        <tfoot className="print:table-row-group">
          <tr className={classes.footRow}>
            {footers.headers.map((header) => {
              const { names, end, className: own } = byId.get(header.column.id) ?? {};
              const Cell = names ? 'th' : 'td';
              return (
                <Cell
                  key={header.id}
                  {...(names && { scope: 'row' })}
                  className={cn(classes.cell, end && 'text-end tabular-nums', own)}
                >
                  {draw(header.column.columnDef.footer, header.getContext())}
                </Cell>
              );
            })}
          </tr>
        </tfoot>
      )}
    </table>
  );
}

/** Splits the rows into groups. Without a group key, all rows are in one group, which may be empty. */
function grouped<Row extends object>(
  rows: readonly ModelRow<Features, Row>[],
  groupKey: ((row: Row) => string) | undefined,
): [key: string, rows: readonly ModelRow<Features, Row>[]][] {
  if (!groupKey) return [['', rows]];
  const groups = new Map<string, ModelRow<Features, Row>[]>();
  for (const row of rows) {
    const key = groupKey(row.original);
    const group = groups.get(key);
    if (group) group.push(row);
    else groups.set(key, [row]);
  }
  return [...groups];
}

interface TableRowProps<Row extends object, Shown> {
  row: ModelRow<Features, Row>;
  byId: ReadonlyMap<string, TableColumn<Shown>>;
  classes: (typeof looks)[TableLook];
  prepare: ComponentType<PrepareProps<Row, Shown>> | undefined;
  rowClassName: ((row: Shown) => string | undefined | false) | undefined;
  isMarked: boolean;
  onHover: ((row: Row | undefined) => void) | undefined;
}

function TableRowPlain<Row extends object, Shown>(props: TableRowProps<Row, Shown>) {
  const { row, byId, classes, prepare: Prepare, rowClassName, isMarked, onHover } = props;
  const line = (shown: Shown) => (
    <tr
      className={cn(classes.row, isMarked && 'bg-accent-soft', rowClassName?.(shown)) || undefined}
      {...(onHover && { onMouseEnter: () => onHover(row.original), onMouseLeave: () => onHover(undefined) })}
    >
      {row.getAllCells().map((cell) => {
        const column = byId.get(cell.column.id);
        const span = column?.span?.(shown) ?? 1;
        if (!column || span === 0) return null;
        const { names, end, className, cellClassName, tip } = column;
        const look = cn(
          classes.cell,
          names && classes.name,
          end && 'text-end tabular-nums',
          className,
          typeof cellClassName === 'function' ? cellClassName(shown) : cellClassName,
        );
        const rowSpan = span > 1 ? span : undefined;
        const context: ShownCell<Row, Shown> = { ...cell.getContext(), shown };
        const content = draw(cell.column.columnDef.cell, context);
        return names ? (
          <th key={cell.id} scope={column.span ? 'rowgroup' : 'row'} rowSpan={rowSpan} className={look}>
            {content}
          </th>
        ) : (
          <td key={cell.id} rowSpan={rowSpan} className={look}>
            <Tip tip={tip?.(shown)}>{content}</Tip>
          </td>
        );
      })}
    </tr>
  );
  if (Prepare) return <Prepare row={row.original} index={row.index}>{line}</Prepare>;
  // Without `prepare`, the row itself is what is shown.
  return line(row.original as Row & Shown);
}

/** Memoized so that typing into a row renders only that row. A delivery can have a thousand rows. */
const TableRow = memo(TableRowPlain) as typeof TableRowPlain;
