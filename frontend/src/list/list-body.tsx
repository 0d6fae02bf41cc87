import { useTranslation } from 'react-i18next';
import { errorText } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { Button } from '@/ui/button';
import { StateView } from '@/ui/state-view';
import { ListCards } from './list-cards';
import type { ListOrigin } from './list-origin';
import type { ListNavigation } from './use-list-state';
import type { ListResult } from './use-list-query';
import { ListTable } from './list-table';
import type { Resource, RowActions, RowOpening } from './resource';
import type { ColumnSettings, Density } from './use-column-settings';
import type { Selection } from './use-selection';

interface ListBodyProps<Row, Data> {
  resource: Resource<Row, Data>;
  result: ListResult<Row>;
  navigation: ListNavigation;
  settings: ColumnSettings;
  density: Density;
  origin: ListOrigin;
  timeZone: string;
  narrow: boolean;
  actions: RowActions<Row> | undefined;
  opening: RowOpening<Row> | undefined;
  selection: Selection | undefined;
  emptyAction: React.ReactNode;
}

/** The server's reason for a search it would not be done with in time. */
const TOO_BROAD = 'LIST_TOO_BROAD';

/** A screen of skeletons; more would only be scrolled past. */
const SKELETONS = 20;

export function ListBody<Row extends object, Data>(props: ListBodyProps<Row, Data>) {
  const { resource, result, navigation, settings, density, origin, timeZone, narrow } = props;
  const { actions, opening, selection } = props;
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
  return (
    <>
      {narrow ? (
        rows.length + skeletons > 0 && (
          <ListCards {...{ resource, rows, actions, opening, selection }} {...{ origin, timeZone, skeletons }} />
        )
      ) : (
        <ListTable
          {...{ resource, rows, settings, density, actions, opening }}
          {...{ selection, origin, timeZone, skeletons }}
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
            <Button variant="primary" size={36} onClick={() => setFilters([])}>
              {t('clearFilters')}
            </Button>
          }
        />
      )}
    </>
  );
}
