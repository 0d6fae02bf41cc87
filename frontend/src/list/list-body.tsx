import { useTranslation } from 'react-i18next';
import { errorText } from '@/data/errors';
import { QueryFailure } from '@/data/query-state';
import { useText } from '@/i18n/texts';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { fieldLabel } from './filter-text';
import type { Filter } from './filters-codec';
import type { Fit } from './fit-columns';
import type { ListOrigin } from './list-origin';
import { ListCell, RowOpener, SelectBox } from './list-row';
import { ListTable } from './list-table';
import type { CardSlot, ListColumn, Resource, RowActions, RowOpening } from './resource';
import type { ColumnControl, Density } from './use-column-settings';
import { ROW_ID } from './use-list-place';
import type { ListResult } from './use-list-query';
import type { ListNavigation } from './use-list-state';
import type { Selection } from './use-selection';

interface ListBodyProps<Row, Data> {
  resource: Resource<Row, Data>;
  result: ListResult<Row>;
  navigation: ListNavigation;
  columnControl: ColumnControl;
  density: Density;
  origin: ListOrigin;
  narrow: boolean;
  actions: RowActions<Row> | undefined;
  opening: RowOpening<Row> | undefined;
  fit: Fit<ListColumn<Row>>;
  markedId: string | undefined;
  selection: Selection | undefined;
  emptyAction: React.ReactNode;
}

/** Error reason of a query that is too broad to finish in time. */
const TOO_BROAD = 'LIST_TOO_BROAD';

/** Number of skeleton rows: about one screen. */
const SKELETONS = 20;

export function ListBody<Row extends object, Data>(props: ListBodyProps<Row, Data>) {
  const { resource, result, navigation, columnControl, density, origin, narrow } = props;
  const { actions, opening, selection, fit, markedId } = props;
  const { t } = useTranslation(['list', 'common']);
  const textOf = useText();
  const { state, setFilters, setSort } = navigation;
  const { texts } = resource;

  if (result.error?.reason === TOO_BROAD && result.status === 'error') {
    return (
      <StateView
        kind="no-match"
        className="my-auto"
        title={t('tooBroad.title')}
        text={
          <>
            <p>{errorText(result.error)}</p>
            <p>{t('tooBroad.text')}</p>
          </>
        }
        actions={
          <>
            <Button variant="primary" size={36} onClick={() => setFilters([])}>
              {t('clearFilters')}
            </Button>
            <Button size={36} onClick={result.retry}>
              {t('common:retry')}
            </Button>
          </>
        }
      />
    );
  }
  if (result.status === 'error') {
    return <QueryFailure error={result.error} onRetry={result.retry} />;
  }
  if (result.status === 'empty') {
    return (
      <StateView
        kind="empty"
        className="my-auto"
        title={textOf(texts.emptyTitle)}
        text={textOf(texts.emptyText)}
        actions={props.emptyAction}
      />
    );
  }
  const skeletons = result.status === 'loading' ? Math.min(state.limit, SKELETONS) : 0;
  const { rows } = result;
  const elsewhere = searchesElsewhere(resource, state.filters);
  return (
    <>
      {narrow ? (
        rows.length + skeletons > 0 && (
          <ListCards {...{ resource, rows, actions, opening, selection }} {...{ origin, markedId, skeletons }} />
        )
      ) : (
        <ListTable
          {...{ resource, rows, columnControl, density, actions, opening }}
          {...{ selection, origin, fit, markedId, skeletons }}
          sort={state.sort}
          onSort={setSort}
        />
      )}
      {result.status === 'no-match' && (
        <StateView
          kind="no-match"
          className="my-auto"
          title={textOf(texts.noMatchTitle)}
          text={t('noMatch.text', { count: state.filters.length })}
          actions={
            <>
              <Button variant="primary" size={36} onClick={() => setFilters([])}>
                {t('clearFilters')}
              </Button>
              {elsewhere.map(({ field, filters }) => (
                <Button key={field.key} size={36} onClick={() => setFilters(filters)}>
                  {t('noMatch.lookIn', { field: fieldLabel(field, textOf) })}
                </Button>
              ))}
            </>
          }
        />
      )}
    </>
  );
}

/** For a quick search without results: returns the filters that search for the same text in other fields. */
function searchesElsewhere<Row, Data>(resource: Resource<Row, Data>, filters: readonly Filter[]) {
  const { searchElsewhere } = resource;
  const own = filters.find(
    ({ key, operator }) => key === searchElsewhere?.key && operator === 'contains',
  );
  if (!own || !searchElsewhere) return [];
  return searchElsewhere.others.flatMap((key) => {
    const field = resource.filters.find((entry) => entry.key === key);
    const moved = filters.map((filter) => (filter === own ? { ...filter, key } : filter));
    return field ? [{ field, filters: moved }] : [];
  });
}

interface ListCardsProps<Row, Data> {
  resource: Resource<Row, Data>;
  rows: Row[];
  actions: RowActions<Row> | undefined;
  opening: RowOpening<Row> | undefined;
  selection: Selection | undefined;
  origin: ListOrigin;
  markedId: string | undefined;
  skeletons: number;
}

const lines: [CardSlot, CardSlot][] = [
  ['title', 'badge'],
  ['second', 'second-end'],
  ['third', 'third-end'],
];

const looks: Partial<Record<CardSlot, string>> = {
  title: 'text-title font-medium',
  'second-end': 'text-muted',
  third: 'text-xs text-muted',
  'third-end': 'text-xs text-muted',
};

/** Keys of placeholders for empty values that make no sense without the column header, which a card lacks. */
const BARE = new Set<string | undefined>([undefined, 'common:none', 'common:never']);

const cardBox = 'block w-full min-w-0 flex-1 px-4 py-2.5 text-sm';

const cardActions: Record<RowActions<never>['onCard'], string> = {
  beside: '-ms-3 pe-1',
  below: 'flex justify-end px-4 pb-2.5',
};

/** The rows as cards of three lines on narrow screens; each card is a link. */
function ListCards<Row, Data>(props: ListCardsProps<Row, Data>) {
  const { resource, rows, actions, opening, selection, origin, markedId, skeletons } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  return (
    <ul aria-label={textOf(resource.texts.tableName)} className="divide-y divide-line">
      {rows.map((row) => {
        const id = resource.rowId(row);
        const href = resource.rowHref?.(row);
        const opens = href !== undefined || opening !== undefined;
        const card = lines.map((slots) => (
          <span key={slots[0]} className="flex min-h-5 items-center justify-between gap-3">
            {slots.map((slot) => (
              <CardCell key={slot} {...{ resource, row, slot, opens, origin }} />
            ))}
          </span>
        ));
        return (
          <li
            key={id}
            {...{ [ROW_ID]: id }}
            className={cn(
              (actions?.onCard === 'beside' || selection) && 'flex items-center',
              (selection?.ids.has(id) || markedId === id) && 'bg-accent-soft',
            )}
          >
            {selection && (
              <span className="-me-2 ms-1 flex size-11 shrink-0">
                <span className="m-auto">
                  <SelectBox
                    label={t('selection.row', { row: id })}
                    checked={selection.ids.has(id)}
                    onChange={(_, withShift) => selection.toggle(id, withShift)}
                  />
                </span>
              </span>
            )}
            {opens ? (
              <RowOpener
                {...{ href, origin }}
                onOpen={opening && (() => opening.open(row))}
                isOpen={opening?.openId === id}
                className={cn(cardBox, 'focus-visible:-outline-offset-2 active:bg-raised')}
              >
                {card}
              </RowOpener>
            ) : (
              <div className={cardBox}>{card}</div>
            )}
            {actions && <div className={cardActions[actions.onCard]}>{actions.render(row)}</div>}
          </li>
        );
      })}
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
  /** Whether the card can be opened; its title then looks like a link. */
  opens: boolean;
  origin: ListOrigin;
}

function CardCell<Row, Data>(props: CardCellProps<Row, Data>) {
  const { resource, row, slot, opens, origin } = props;
  const { t } = useTranslation(['list', 'common']);
  const textOf = useText();
  const column: ListColumn<Row> | undefined = resource.columns.find(
    ({ cardSlot }) => cardSlot === slot,
  );
  if (!column) return null;
  const value = column.value(row);
  const isEmpty = (value ?? '') === '';
  return (
    <span
      dir="auto"
      className={cn(
        'min-w-0 truncate tabular-nums',
        looks[slot],
        slot === 'title' && opens && 'text-accent',
        // Never shrink the status: truncate the text beside it instead.
        slot === 'badge' && 'shrink-0',
      )}
    >
      {column.kind === 'id-link' ? (
        (column.render?.(row) ?? value)
      ) : column.cardTextKey && !isEmpty ? (
        textOf(column.cardTextKey, { value, ...(typeof value === 'number' && { count: value }) })
      ) : isEmpty && BARE.has(column.emptyKey) ? (
        <span className="text-muted">
          {t('cardEmpty', {
            field: textOf(column.labelKey),
            word: textOf(column.emptyKey ?? 'common:none').toLowerCase(),
          })}
        </span>
      ) : (
        <ListCell
          {...{ row, column, origin }}
          href={undefined}
          onOpen={undefined}
          isOpen={false}
        />
      )}
    </span>
  );
}
