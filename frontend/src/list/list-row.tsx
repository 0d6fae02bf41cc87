import { type ChangeEvent, memo, type MouseEvent, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useText } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { type ListOrigin, toLocationState } from './list-origin';
import { ROW_LINK } from './list-shortcuts';
import { alignsAtEnd, type ListColumn } from './resource';
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
  /** CSS class for the row's height. */
  height: string;
  /** Whether this row was opened last. */
  isMarked: boolean;
  /** Offsets of pinned columns from the edge, in pixels. */
  pins: ReadonlyMap<string, number>;
}

const BOX_CELL = 'data-box-cell';
/** Casts a shadow on the columns scrolling beneath. */
const PINNED = 'sticky z-1 bg-inherit group-data-scrolled/list:[box-shadow:6px_0_6px_-6px_var(--line2)]';

function ListRowPlain<Row>(props: ListRowProps<Row>) {
  const { row, columns, href, onOpen, isOpen, actions, origin, height } = props;
  const { id, selected, onSelect, isMarked, pins } = props;
  const { t } = useTranslation('list');
  const navigate = useNavigate();
  const opens = href !== undefined || onOpen !== undefined;

  function open(event: MouseEvent<HTMLTableRowElement>) {
    if (event.defaultPrevented || event.button !== 0) return;
    const { target, currentTarget } = event;
    // React also bubbles clicks from the row's menu, which is in a portal.
    if (!(target instanceof Element) || !currentTarget.contains(target)) return;
    if (target.closest(`a, button, input, label, [${BOX_CELL}]`)) return;
    // Selecting text in order to copy it also ends in a click.
    if (window.getSelection()?.toString()) return;
    if (href === undefined) onOpen?.(row);
    else if (event.ctrlKey || event.metaKey) window.open(href, '_blank', 'noopener');
    else void navigate(href, { state: toLocationState(origin) });
  }

  return (
    // For the mouse only; keyboards and screen readers use the link in the first cell.
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
        <td {...{ [BOX_CELL]: '' }} className="sticky start-0 z-1 cursor-default bg-inherit">
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
            'px-3',
            alignsAtEnd(column.kind) && 'text-end',
            column.muted && 'text-muted',
            pins.has(column.id) && PINNED,
          )}
          style={{ insetInlineStart: pins.get(column.id) }}
        >
          {/* Right-to-left text must not move the edge to which a pinned cell sticks. */}
          <div dir="auto" data-tip-cut className="-m-1 truncate p-1">
            <ListCell {...{ row, column, href, onOpen, isOpen, origin }} />
          </div>
        </td>
      ))}
      {actions && <td className="cursor-default px-2 text-end">{actions(row)}</td>}
    </tr>
  );
}

export const ListRow = memo(ListRowPlain) as typeof ListRowPlain;

interface ListCellProps<Row> {
  row: Row;
  column: ListColumn<Row>;
  href: string | undefined;
  onOpen: ((row: Row) => void) | undefined;
  isOpen: boolean;
  origin: ListOrigin;
}

const link =
  'font-medium text-accent tabular-nums hover:underline focus-visible:outline-offset-1';

export function ListCell<Row>(props: ListCellProps<Row>) {
  const { row, column, href, onOpen, isOpen, origin } = props;
  const textOf = useText();
  const value = column.value(row);
  if (value === null || value === undefined || value === '') {
    const word = column.kind === 'number' ? '–' : textOf(column.emptyKey ?? 'common:none');
    return <span className="text-muted">{word}</span>;
  }
  if (column.kind === 'id-link') {
    const opener = (
      <RowOpener
        {...{ href, isOpen, origin }}
        onOpen={onOpen && (() => onOpen(row))}
        className={link}
      >
        {column.render ? column.render(row) : value}
      </RowOpener>
    );
    if (!column.lead && !column.secondary) return opener;
    return (
      <span className="flex items-center gap-2.5">
        {column.lead?.(row)}
        <span className="min-w-0">
          <span className="block truncate leading-[18px] font-medium">{opener}</span>
          <span className="block truncate text-xs text-muted">{column.secondary?.(row)}</span>
        </span>
      </span>
    );
  }
  if (column.render) return column.render(row);
  switch (column.kind) {
    case 'datetime':
      return <DateTime instant={String(value)} inline />;
    case 'number':
      return <span className="tabular-nums">{formatCount(Number(value))}</span>;
    default:
      return <span className="tabular-nums">{value}</span>;
  }
}

interface RowOpenerProps {
  /** URL of the row. Without it, a click calls `onOpen`. Without both, only the children are rendered. */
  href: string | undefined;
  onOpen: (() => void) | undefined;
  isOpen: boolean;
  origin: ListOrigin;
  /** Style of the link. */
  className: string;
  children: ReactNode;
}

const mark = { [ROW_LINK]: '' };

/** Opens a row by mouse and keyboard: a link to its page, or a button if it has no page. */
export function RowOpener(props: RowOpenerProps) {
  const { href, onOpen, isOpen, origin, className, children } = props;
  if (href !== undefined) {
    return (
      <Link to={href} state={toLocationState(origin)} {...mark} className={className}>
        {children}
      </Link>
    );
  }
  if (!onOpen) return children;
  return (
    <button
      type="button"
      {...mark}
      aria-current={isOpen || undefined}
      onClick={onOpen}
      className={cn('text-start', className)}
    >
      {children}
    </button>
  );
}

interface SelectBoxProps {
  label: string;
  checked: boolean;
  indeterminate?: boolean;
  onChange: (checked: boolean, withShift: boolean) => void;
}

function hasShift({ nativeEvent }: ChangeEvent): boolean {
  return 'shiftKey' in nativeEvent && nativeEvent.shiftKey === true;
}

/** Checkbox of a row. */
export function SelectBox({ label, checked, indeterminate = false, onChange }: SelectBoxProps) {
  return (
    <span className="flex items-center justify-center">
      <Checkbox
        aria-label={label}
        checked={checked}
        indeterminate={indeterminate}
        // Keeps a Shift-click from also selecting text.
        onMouseDown={(event) => event.shiftKey && event.preventDefault()}
        onChange={(event) => onChange(event.target.checked, hasShift(event))}
      />
    </span>
  );
}
