import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { DateTime } from '@/ui/date-time';
import type { ListOrigin } from './list-origin';
import type { ListColumn } from './resource';
import { RowOpener } from './row-opener';

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
  const { t } = useTranslation('list');
  const value = column.value(row);
  if (value === null || value === undefined || value === '') {
    const word = column.kind === 'number' ? '–' : t(column.emptyKey ?? 'common:none');
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
    case 'boolean-label':
      return t(`common:${value}`);
    default:
      return <span className="tabular-nums">{value}</span>;
  }
}
