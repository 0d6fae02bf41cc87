import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import { ListCell } from './list-cell';
import { toLocationState, type ListOrigin } from './list-origin';
import type { CardSlot, ListColumn, Resource } from './resource';

interface ListCardsProps<Row, Data> {
  resource: Resource<Row, Data>;
  rows: Row[];
  origin: ListOrigin;
  timeZone: string;
  skeletons: number;
}

const lines: [CardSlot, CardSlot][] = [
  ['title', 'badge'],
  ['second', 'second-end'],
  ['third', 'third-end'],
];

const looks: Partial<Record<CardSlot, string>> = {
  title: 'text-title font-medium text-accent',
  'second-end': 'text-muted',
  third: 'text-xs text-muted',
  'third-end': 'text-xs text-muted',
};

/** The rows of a narrow screen: three lines each, the whole card one link. */
export function ListCards<Row, Data>(props: ListCardsProps<Row, Data>) {
  const { resource, rows, origin, timeZone, skeletons } = props;
  const { t } = useTranslation('list');
  return (
    <ul aria-label={t(resource.texts.tableName)} className="divide-y divide-line">
      {rows.map((row) => (
        <li key={resource.rowId(row)}>
          <Link
            to={resource.rowHref(row)}
            state={toLocationState(origin)}
            data-row-link=""
            className="block px-4 py-2.5 text-sm focus-visible:-outline-offset-2 active:bg-raised"
          >
            {lines.map((slots) => (
              <span key={slots[0]} className="flex min-h-5 items-center justify-between gap-3">
                {slots.map((slot) => (
                  <CardCell key={slot} {...{ resource, row, slot, origin, timeZone }} />
                ))}
              </span>
            ))}
          </Link>
        </li>
      ))}
      {Array.from({ length: skeletons }, (_, index) => (
        <li key={index} aria-hidden className="flex flex-col gap-2.5 px-4 py-3.5">
          <Skeleton className="h-3 w-1/3 rounded-full" />
          <Skeleton className="h-2.5 w-2/3 rounded-full" />
          <Skeleton className="h-2.5 w-1/2 rounded-full" />
        </li>
      ))}
    </ul>
  );
}

interface CardCellProps<Row, Data> {
  resource: Resource<Row, Data>;
  row: Row;
  slot: CardSlot;
  origin: ListOrigin;
  timeZone: string;
}

function CardCell<Row, Data>({ resource, row, slot, origin, timeZone }: CardCellProps<Row, Data>) {
  const { t } = useTranslation('list');
  const column: ListColumn<Row> | undefined = resource.columns.find(
    ({ cardSlot }) => cardSlot === slot,
  );
  if (!column) return null;
  const value = column.value(row);
  return (
    <span className={cn('min-w-0 truncate tabular-nums', looks[slot])}>
      {column.kind === 'id-link' ? (
        value
      ) : column.cardTextKey ? (
        t(column.cardTextKey, { count: Number(value) })
      ) : (
        <ListCell {...{ row, column, origin, timeZone }} href={resource.rowHref(row)} />
      )}
    </span>
  );
}
