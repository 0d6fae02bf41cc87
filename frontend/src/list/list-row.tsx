import { memo, type MouseEvent } from 'react';
import { useNavigate } from 'react-router';
import { cn } from '@/ui/cn';
import { ListCell } from './list-cell';
import { toLocationState, type ListOrigin } from './list-origin';
import type { ListColumn } from './resource';
import type { Density } from './use-column-settings';

export const rowHeights: Record<Density, string> = {
  compact: 'h-[30px]',
  default: 'h-9',
  comfortable: 'h-11',
};

interface ListRowProps<Row> {
  row: Row;
  columns: readonly ListColumn<Row>[];
  href: string;
  origin: ListOrigin;
  density: Density;
  timeZone: string;
}

function ListRowPlain<Row>({ row, columns, href, origin, density, timeZone }: ListRowProps<Row>) {
  const navigate = useNavigate();

  function open(event: MouseEvent<HTMLTableRowElement>) {
    if (event.defaultPrevented || event.button !== 0) return;
    const { target } = event;
    if (target instanceof Element && target.closest('a, button, input, label')) return;
    // Marking text to copy it ends in a click as well.
    if (window.getSelection()?.toString()) return;
    if (event.ctrlKey || event.metaKey) window.open(href, '_blank', 'noopener');
    else void navigate(href, { state: toLocationState(origin) });
  }

  return (
    // The mouse only: the link in the first cell is the same thing for keys and screen readers.
    <tr
      onClick={open}
      className={cn(
        'cursor-pointer border-b border-line last:border-b-0 focus-within:bg-raised hover:bg-raised',
        rowHeights[density],
      )}
    >
      {columns.map((column) => (
        <td
          key={column.id}
          className={cn(
            'truncate px-3',
            column.kind === 'number' && 'text-right',
            column.muted && 'text-muted',
          )}
        >
          <ListCell {...{ row, column, href, origin, timeZone }} />
        </td>
      ))}
    </tr>
  );
}

export const ListRow = memo(ListRowPlain) as typeof ListRowPlain;
