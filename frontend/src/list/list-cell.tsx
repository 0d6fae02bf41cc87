import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { formatAgo, formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import type { ListOrigin } from './list-origin';
import { toLocationState } from './list-origin';
import type { ListColumn } from './resource';
import { ROW_LINK } from './use-list-shortcuts';

interface ListCellProps<Row> {
  row: Row;
  column: ListColumn<Row>;
  href: string;
  origin: ListOrigin;
  timeZone: string;
}

export function ListCell<Row>({ row, column, href, origin, timeZone }: ListCellProps<Row>) {
  const { t } = useTranslation('list');
  const value = column.value(row);
  if (value === null || value === undefined || value === '') {
    const word = column.kind === 'number' ? '–' : t(column.emptyKey ?? 'common:none');
    return <span className="text-muted">{word}</span>;
  }
  if (column.render) return column.render(row);
  switch (column.kind) {
    case 'id-link':
      return (
        <Link
          to={href}
          state={toLocationState(origin)}
          {...{ [ROW_LINK]: '' }}
          className="font-medium text-accent tabular-nums hover:underline focus-visible:outline-offset-1"
        >
          {value}
        </Link>
      );
    case 'datetime': {
      const text = String(value);
      return (
        <time dateTime={text} title={formatAgo(text)} className="tabular-nums">
          {formatDateTime(text, timeZone)}
        </time>
      );
    }
    case 'number':
      return <span className="tabular-nums">{formatCount(Number(value))}</span>;
    case 'boolean-label':
      return t(`common:${value}`);
    default:
      return <span className="tabular-nums">{value}</span>;
  }
}
