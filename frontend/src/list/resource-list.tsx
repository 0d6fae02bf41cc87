import { useRef, useState, type ReactNode } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { cn } from '@/ui/cn';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { ColumnChooser } from './column-chooser';
import { DensityMenu } from './density-menu';
import { HelpDialog } from './help-dialog';
import { ListBody } from './list-body';
import { ListFooter } from './list-footer';
import { ListToolbar } from './list-toolbar';
import { ListViews } from './list-views';
import type { FindField, Resource, RowActions, RowOpening } from './resource';
import { StaleNote } from './stale-note';
import { useColumnSettings, useDensity } from './use-column-settings';
import { useListOrigin } from './use-list-origin';
import { useListPaging } from './use-list-paging';
import { useListQuery } from './use-list-query';
import { useListShortcuts } from './use-list-shortcuts';
import { useListState } from './use-list-state';
import { useNarrowScreen } from './use-narrow-screen';
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
}

export function ResourceList<Row extends object, Data>(props: ResourceListProps<Row, Data>) {
  const { resource, emptyAction, action, find, rowActions, rowOpening } = props;
  const { t } = useTranslation('list');
  const timeZone = useTimeZone();
  const narrow = useNarrowScreen();
  const navigation = useListState(resource);
  const { state } = navigation;
  const result = useListQuery(resource, state, timeZone);
  const origin = useListOrigin(resource, result, state.offset);
  const paging = useListPaging(result, navigation);
  const columns = useColumnSettings(resource.name, resource.columns);
  const [density, setDensity] = useDensity(resource.name);
  const [shortcuts, setShortcuts] = useShortcutPreference();
  const [menuOpen, setMenuOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const region = useRef<HTMLDivElement>(null);
  useListShortcuts({
    ...paging,
    enabled: shortcuts,
    container: region,
    openFilters: () => setMenuOpen(true),
    openHelp: () => setHelpOpen(true),
  });

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3">
      <ListViews {...{ resource, state, timeZone }} />
      <ListToolbar
        {...{ timeZone, menuOpen, find, action }}
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
            <ColumnChooser columns={resource.columns} control={columns} />
          </>
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
        <div
          ref={region}
          role="region"
          aria-label={t(resource.texts.tableName)}
          aria-busy={result.status === 'loading'}
          tabIndex={narrow ? undefined : 0}
          className={cn(
            'flex min-h-0 flex-1 flex-col focus-visible:-outline-offset-2',
            !narrow && 'scroll-pt-9 overflow-auto',
          )}
        >
          <ListBody
            {...{ resource, result, navigation, density, origin, timeZone, narrow, emptyAction }}
            settings={columns.settings}
            actions={rowActions}
            opening={rowOpening}
          />
        </div>
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
        onEnabledChange={setShortcuts}
      />
    </div>
  );
}
