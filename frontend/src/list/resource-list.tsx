import { useMemo, useRef, useState, type ComponentType, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useChanges } from '@/data/use-changes';
import { usePolling } from '@/data/use-polling';
import { useTimeZone } from '@/data/use-time-zone';
import { Button } from '@/ui/button';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { BulkArea } from './bulk-area';
import { ColumnChooser } from './column-chooser';
import { DensityMenu } from './density-menu';
import { fitColumns } from './fit-columns';
import { HelpDialog } from './help-dialog';
import { ListBody } from './list-body';
import { ListFooter } from './list-footer';
import { toLocationState } from './list-origin';
import { ListRegion } from './list-region';
import { SELECT_WIDTH } from './list-table';
import { ListToolbar } from './list-toolbar';
import { ListViews } from './list-views';
import type { BulkAction, FindField, ListShown, Resource, RowActions, RowOpening } from './resource';
import { StaleNote } from './stale-note';
import { shownColumns, useColumnSettings, useDensity } from './use-column-settings';
import { useListOrigin } from './use-list-origin';
import { useListPaging } from './use-list-paging';
import { useListPlace } from './use-list-place';
import { useListQuery } from './use-list-query';
import { useListSelection } from './use-list-selection';
import { useListShortcuts } from './use-list-shortcuts';
import { useListState } from './use-list-state';
import { useNarrowScreen } from './use-narrow-screen';
import { useRoom } from './use-room';
import { useShortcutPreference } from './use-shortcut-preference';

interface ResourceListProps<Row, Data> {
  resource: Resource<Row, Data>;
  /** What to do about a list that holds nothing yet. */
  emptyAction?: ReactNode;
  /** The primary action of the page. */
  action?: ReactNode;
  find?: FindField;
  rowActions?: RowActions<Row>;
  /** For rows without a page of their own. */
  rowOpening?: RowOpening<Row>;
  /** The page that edits a row, for the key that opens it. */
  editHref?: (row: Row) => string;
  /** Given any, rows can be selected. */
  bulkActions?: readonly BulkAction<Row>[];
  /** Further tools beside those of the columns, such as an export of what is shown. */
  tools?: ComponentType<{ shown: ListShown }>;
}

const NO_VARIABLES = {};
const NO_ACTIONS: readonly BulkAction<object>[] = [];

export function ResourceList<Row extends object, Data>(props: ResourceListProps<Row, Data>) {
  const { resource, emptyAction, action, find, rowActions, rowOpening } = props;
  const { bulkActions = NO_ACTIONS, tools: Tools, editHref } = props;
  const navigate = useNavigate();
  const { t } = useTranslation('list');
  const timeZone = useTimeZone();
  const narrow = useNarrowScreen();
  const navigation = useListState(resource);
  const { state } = navigation;
  const result = useListQuery(resource, state, timeZone);
  useChanges(resource.changes, NO_VARIABLES, result.refresh);
  usePolling(result.refresh, resource.pollInterval);
  const origin = useListOrigin(resource, result, state.offset);
  const paging = useListPaging(result, navigation);
  const columns = useColumnSettings(resource.name, resource.columns);
  const [density, setDensity] = useDensity(resource.name);
  const [shortcuts, setShortcuts] = useShortcutPreference();
  const [menuOpen, setMenuOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const region = useRef<HTMLDivElement>(null);
  const selects = bulkActions.length > 0;
  const selecting = useListSelection(resource, state, result.rows, { selects, narrow, region });
  const { selection, selected } = selecting;
  const place = useListPlace(resource.name, region, result.status === 'ready');
  const room = useRoom(region);
  const besides = (selection ? SELECT_WIDTH : 0) + (rowActions?.width ?? 0);
  const fit = useMemo(
    () => fitColumns(shownColumns(resource.columns, columns.settings), Math.max(0, room - besides)),
    [resource, columns.settings, room, besides],
  );

  function editRow(index: number) {
    const row = result.rows[index];
    if (!row || !editHref) return;
    place.keep(resource.rowId(row));
    void navigate(editHref(row), { state: toLocationState(origin) });
  }

  useListShortcuts({
    ...paging,
    enabled: shortcuts,
    container: region,
    openFilters: () => setMenuOpen(true),
    openHelp: () => setHelpOpen(true),
    editRow: editHref && editRow,
    selectRow: selecting.selectRow,
    clearSelection: selected > 0 ? selecting.clear : undefined,
  });

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <ListViews {...{ resource, state, timeZone }} />
      <ListToolbar
        {...{ timeZone, menuOpen, find, action, selected }}
        fields={resource.filters}
        filters={state.filters}
        count={result.count}
        loading={result.status === 'loading'}
        texts={resource.texts}
        onMenuOpenChange={setMenuOpen}
        onChange={navigation.setFilters}
        onHelp={() => setHelpOpen(true)}
        tools={
          <>
            <DensityMenu density={density} onChange={setDensity} />
            <ColumnChooser columns={resource.columns} control={columns} left={fit.left} />
            {Tools && (
              <Tools
                shown={{ filters: state.filters, sort: state.sort, count: result.count }}
              />
            )}
          </>
        }
        selecting={
          selects &&
          narrow && (
            <Button onClick={selecting.switchSelecting}>
              {t(selecting.isSelecting ? 'selection.end' : 'selection.start')}
            </Button>
          )
        }
      />
      {result.staleSince !== undefined && (
        <StaleNote since={result.staleSince} timeZone={timeZone} onRetry={result.retry} />
      )}
      <Panel className="relative flex min-h-64 flex-1 flex-col overflow-hidden max-md:-mx-4 max-md:rounded-none max-md:border-x-0">
        {result.refreshing && (
          <ProgressBar
            thin
            label={t('refreshing')}
            className="absolute inset-x-0 top-0 z-20 bg-transparent"
          />
        )}
        <ListRegion
          ref={region}
          label={t(resource.texts.tableName)}
          loading={result.status === 'loading'}
          narrow={narrow}
          barShown={selected > 0}
          onClickCapture={place.onClickCapture}
          bar={
            selection && (
              <BulkArea
                {...{ resource, state, timeZone, selection, shortcuts }}
                rowsOf={selecting.rowsOf}
                onRows={selecting.onRows}
                shown={result.rows.length}
                count={result.count}
                actions={bulkActions}
                onClear={selecting.clear}
              />
            )
          }
        >
          <ListBody
            {...{ resource, result, navigation, density, origin, narrow, emptyAction, fit }}
            markedId={place.markedId}
            settings={columns.settings}
            actions={rowActions}
            opening={rowOpening}
            selection={selection}
          />
        </ListRegion>
        {result.status === 'ready' && result.count && (
          <ListFooter
            shown={result.rows.length}
            count={result.count}
            limit={state.limit}
            offset={state.offset}
            onLimit={navigation.setLimit}
            onOffset={navigation.setOffset}
          />
        )}
      </Panel>
      <HelpDialog
        open={helpOpen}
        onOpenChange={setHelpOpen}
        enabled={shortcuts}
        offered={{ selects: selection !== undefined, edits: editHref !== undefined }}
        onEnabledChange={setShortcuts}
      />
    </div>
  );
}
