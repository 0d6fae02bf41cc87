import { useTranslation } from 'react-i18next';
import { errorText } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import type { Fit } from './fit-columns';
import type { Filter } from './filters-codec';
import { ListCards } from './list-cards';
import type { ListOrigin } from './list-origin';
import type { ListNavigation } from './use-list-state';
import type { ListResult } from './use-list-query';
import { ListTable } from './list-table';
import type { ListColumn, Resource, RowActions, RowOpening } from './resource';
import type { ColumnSettings, Density } from './use-column-settings';
import type { Selection } from './use-selection';

interface ListBodyProps<Row, Data> {
  resource: Resource<Row, Data>;
  result: ListResult<Row>;
  navigation: ListNavigation;
  settings: ColumnSettings;
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

/** Error reason: the query is too broad to finish in time. */
const TOO_BROAD = 'LIST_TOO_BROAD';

/** A screen of skeletons; more would only be scrolled past. */
const SKELETONS = 20;

export function ListBody<Row extends object, Data>(props: ListBodyProps<Row, Data>) {
  const { resource, result, navigation, settings, density, origin, narrow } = props;
  const { actions, opening, selection, fit, markedId } = props;
  const { t } = useTranslation('list');
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
        title={t(texts.emptyTitle)}
        text={t(texts.emptyText)}
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
          {...{ resource, rows, settings, density, actions, opening }}
          {...{ selection, origin, fit, markedId, skeletons }}
          sort={state.sort}
          onSort={setSort}
        />
      )}
      {result.status === 'no-match' && (
        <StateView
          kind="no-match"
          className="my-auto"
          title={t(texts.noMatchTitle)}
          text={t('noMatch.text', { count: state.filters.length })}
          actions={
            <>
              <Button variant="primary" size={36} onClick={() => setFilters([])}>
                {t('clearFilters')}
              </Button>
              {elsewhere.map(({ labelKey, filters }) => (
                <Button key={labelKey} size={36} onClick={() => setFilters(filters)}>
                  {t('noMatch.lookIn', { field: t(labelKey) })}
                </Button>
              ))}
            </>
          }
        />
      )}
    </>
  );
}

/** Returns the same search in other fields, for a quick search that found nothing. */
function searchesElsewhere<Row, Data>(resource: Resource<Row, Data>, filters: readonly Filter[]) {
  const { searchElsewhere } = resource;
  const own = filters.find(
    ({ key, operator }) => key === searchElsewhere?.key && operator === 'contains',
  );
  if (!own || !searchElsewhere) return [];
  return searchElsewhere.others.flatMap((key) => {
    const field = resource.filters.find((entry) => entry.key === key);
    const moved = filters.map((filter) => (filter === own ? { ...filter, key } : filter));
    return field ? [{ labelKey: field.labelKey, filters: moved }] : [];
  });
}
