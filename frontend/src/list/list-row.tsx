import { memo, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { cn } from '@/ui/cn';
import { ListCell } from './list-cell';
import { toLocationState, type ListOrigin } from './list-origin';
import type { ListColumn } from './resource';
import { SelectBox } from './select-box';
import { ROW_ID } from './use-list-place';

interface ListRowProps<Row> {
  row: Row;
  id: string;
  columns: readonly ListColumn<Row>[];
  href: string | undefined;
  onOpen: ((row: Row) => void) | undefined;
  isOpen: boolean;
  actions: ((row: Row) => ReactNode) | undefined;
  /** Undefined where rows cannot be selected. */
  selected: boolean | undefined;
  onSelect: ((id: string, range: boolean) => void) | undefined;
  origin: ListOrigin;
  /** Class of the row's height. */
  height: string;
  /** It was opened last. */
  isMarked: boolean;
  /** Class of where the locked column stays while the others scroll. */
  pinnedAt: string;
}

const BOX_CELL = 'data-box-cell';
/** Casts a shadow on the columns that scroll below it. */
const PINNED = 'sticky z-1 bg-inherit group-data-scrolled/list:shadow-[6px_0_6px_-6px_var(--line2)]';

function ListRowPlain<Row>(props: ListRowProps<Row>) {
  const { row, columns, href, onOpen, isOpen, actions, origin, height } = props;
  const { id, selected, onSelect, isMarked, pinnedAt } = props;
  const { t } = useTranslation('list');
  const navigate = useNavigate();
  const opens = href !== undefined || onOpen !== undefined;

  function open(event: MouseEvent<HTMLTableRowElement>) {
    if (event.defaultPrevented || event.button !== 0) return;
    const { target, currentTarget } = event;
    // React also passes on clicks in a menu of the row, which lies elsewhere in the document.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (target.closest(`a, button, input, label, [${BOX_CELL}]`)) return;
    // Marking text to copy it ends in a click as well.
    if (window.getSelection()?.toString()) return;
    if (href === undefined) onOpen?.(row);
    else if (event.ctrlKey || event.metaKey) window.open(href, '_blank', 'noopener');
    else void navigate(href, { state: toLocationState(origin) });
  }

  return (
    // For the mouse only: the link in the first cell serves keys and screen readers.
    <tr
      {...{ [ROW_ID]: id }}
      onClick={opens ? open : undefined}
      className={cn(
        'border-b border-line last:border-b-0',
        opens && 'cursor-pointer',
        isOpen || selected || isMarked
          ? 'bg-accent-soft'
          : 'bg-surface focus-within:bg-raised hover:bg-raised',
        height,
      )}
    >
      {selected !== undefined && (
        // A click beside the checkbox must not open the row.
        <td {...{ [BOX_CELL]: '' }} className="sticky left-0 z-1 cursor-default bg-inherit">
          <SelectBox
            label={t('selection.row', { row: id })}
            checked={selected}
            onChange={(_, withShift) => onSelect?.(id, withShift)}
          />
        </td>
      )}
      {columns.map((column) => (
        <td
          key={column.id}
          className={cn(
            'truncate px-3',
            column.kind === 'number' && 'text-right',
            column.muted && 'text-muted',
            column.locked && cn(PINNED, pinnedAt),
          )}
          dir="auto"
          data-tip-cut
        >
          <ListCell {...{ row, column, href, onOpen, isOpen, origin }} />
        </td>
      ))}
      {actions && <td className="cursor-default px-2 text-right">{actions(row)}</td>}
    </tr>
  );
}

export const ListRow = memo(ListRowPlain) as typeof ListRowPlain;
