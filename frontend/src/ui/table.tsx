import type { ReactNode } from 'react';
import { cn } from './cn';

export interface TableColumn<Row> {
  id: string;
  /** Missing in every column, the table has no head. */
  header?: ReactNode;
  render: (row: Row) => ReactNode;
  /** Its cells name their rows. */
  names?: boolean;
  end?: boolean;
  /** Of the head and of the cells. */
  className?: string;
  cellClassName?: string;
  headTip?: string;
  tip?: (row: Row) => string | undefined;
}

/** In a panel of facts, as wide as a panel, or filling a page with its head in place. */
type TableLook = 'facts' | 'panel' | 'page';

const looks = {
  facts: {
    table: 'table-fixed',
    head: 'bg-raised',
    headRow: '',
    headCell: 'h-8 px-3 text-xs font-medium text-muted',
    row: 'border-t border-line',
    cell: 'px-3 py-2 align-top wrap-anywhere',
    name: 'font-normal text-muted',
  },
  panel: {
    table: '',
    head: '',
    headRow: 'h-9 border-y border-line bg-raised text-xs whitespace-nowrap text-muted',
    headCell: 'px-3 font-medium first:ps-4 last:pe-4',
    row: 'h-9 border-b border-line whitespace-nowrap last:border-0',
    cell: 'px-3 first:ps-4 last:pe-4',
    name: 'font-normal',
  },
  page: {
    table: 'tabular-nums',
    head: 'sticky top-0 z-10',
    headRow: '',
    headCell: 'h-9 bg-raised px-3 text-xs font-medium whitespace-nowrap text-muted',
    row: 'border-b border-line',
    cell: 'px-3 py-2 align-top whitespace-nowrap',
    name: 'font-medium',
  },
} satisfies Record<TableLook, unknown>;

interface TableProps<Row> {
  look: TableLook;
  caption: string;
  columns: readonly TableColumn<Row>[];
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  rowClassName?: (row: Row) => string | undefined | false;
}

/** A table that is there to be read: what can be sorted, filtered or chosen from is a list. */
export function Table<Row>({ look, caption, columns, rows, rowKey, rowClassName }: TableProps<Row>) {
  const classes = looks[look];
  return (
    <table className={cn('w-full text-sm', classes.table)}>
      <caption className="sr-only">{caption}</caption>
      {columns.some(({ header }) => header !== undefined) && (
        <thead className={classes.head}>
          <tr className={classes.headRow}>
            {columns.map(({ id, header, end, className, headTip }) => (
              <th
                key={id}
                scope="col"
                className={cn(classes.headCell, end && 'text-end', className)}
                data-tip={headTip}
              >
                {header}
              </th>
            ))}
          </tr>
        </thead>
      )}
      <tbody>
        {rows.map((row) => (
          <tr key={rowKey(row)} className={cn(classes.row, rowClassName?.(row))}>
            {columns.map(({ id, render, names, end, className, cellClassName, tip }) => {
              const look = cn(classes.cell, names && classes.name, end && 'text-end tabular-nums', className, cellClassName);
              return names ? (
                <th key={id} scope="row" className={look}>
                  {render(row)}
                </th>
              ) : (
                <td key={id} className={look} data-tip={tip?.(row)}>
                  {render(row)}
                </td>
              );
            })}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
