import { Keyboard, Search, X } from 'lucide-react';
import { type ComponentType, type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { BUSY_PACE_MS, useChanges } from '@/data/use-changes';
import { usePolling } from '@/data/use-polling';
import { useTimeZone } from '@/data/use-time-zone';
import { useText } from '@/i18n/texts';
import { formatCount } from '@/lib/numbers';
import { Button, IconButton } from '@/ui/button';
import { Input } from '@/ui/input';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { BulkArea } from './bulk-area';
import { ColumnChooser, DensityMenu } from './column-chooser';
import { FilterChips } from './filter-chip';
import { FilterMenu } from './filter-menu';
import type { Filter } from './filters-codec';
import { fitColumns } from './fit-columns';
import { ListBody } from './list-body';
import { ListFooter } from './list-footer';
import { toLocationState, useListOrigin } from './list-origin';
import { ListRegion, useRoom } from './list-region';
import { HelpDialog, useListShortcuts, useShortcutPreference } from './list-shortcuts';
import { SELECT_WIDTH } from './list-table';
import { ListViews } from './list-views';
import { OriginContext } from './record-link';
import type {
  BulkAction,
  FilterField,
  FindField,
  ListCount,
  ListShown,
  Resource,
  ResourceTexts,
  RowActions,
} from './resource';
import { type RowPanelProps, useRowPanel } from './row-panel';
import { SavedViewsMenu } from './saved-views-menu';
import { StaleNote } from './stale-note';
import { shownColumns, useColumnSettings, useDensity } from './use-column-settings';
import { useListPlace } from './use-list-place';
import { useListQuery } from './use-list-query';
import { useListSelection } from './use-selection';
import { useListPaging, useListState } from './use-list-state';
import { useNarrowScreen } from '@/ui/use-narrow-screen';

interface ResourceListProps<Row, Data> {
  resource: Resource<Row, Data>;
  /** Action offered by the empty state. */
  emptyAction?: ReactNode;
  /** The primary action of the page. */
  action?: ReactNode;
  find?: FindField;
  rowActions?: RowActions<Row>;
  /** Details of a row, for rows without their own page. */
  rowPanel?: ComponentType<RowPanelProps<Row>>;
  /** The edit page of a row, for the keyboard shortcut. */
  editHref?: (row: Row) => string;
  /** Bulk actions. If there are any, rows can be selected. */
  bulkActions?: readonly BulkAction<Row>[];
  /** Additional tools next to the column tools, such as an export. */
  tools?: ComponentType<{ shown: ListShown }>;
}

const NO_VARIABLES = {};
const NO_ACTIONS: readonly BulkAction<object>[] = [];

export function ResourceList<Row extends object, Data>(props: ResourceListProps<Row, Data>) {
  const { resource, emptyAction, action, find, rowActions, rowPanel } = props;
  const { bulkActions = NO_ACTIONS, tools: Tools, editHref } = props;
  const navigate = useNavigate();
  const { t } = useTranslation('list');
  const textOf = useText();
  const timeZone = useTimeZone();
  const narrow = useNarrowScreen();
  const navigation = useListState(resource);
  const { state } = navigation;
  const result = useListQuery(resource, state, timeZone);
  useChanges(resource.changes, NO_VARIABLES, result.refresh, { busyPace: BUSY_PACE_MS });
  usePolling(result.refresh, resource.pollInterval);
  const origin = useListOrigin(resource, result, state.offset);
  const page = { count: result.count, shown: result.rows.length, isLoading: result.refreshing };
  const paging = useListPaging(page, navigation);
  const columns = useColumnSettings(resource.name, resource.columns);
  const [density, setDensity] = useDensity(resource.name);
  const [shortcuts, setShortcuts] = useShortcutPreference();
  const [menuOpen, setMenuOpen] = useState(false);
  const [helpOpen, setHelpOpen] = useState(false);
  const region = useRef<HTMLDivElement>(null);
  const selects = bulkActions.length > 0;
  const selecting = useListSelection(resource, result, { selects, narrow, region });
  const { selection, selected } = selecting;
  const { opening, panel } = useRowPanel({ rowId: resource.rowId, rows: result.rows, region, shortcuts, Panel: rowPanel });
  const place = useListPlace(resource.name, region, result.status === 'ready');
  const room = useRoom(region);
  const besides = (selection ? SELECT_WIDTH : 0) + (rowActions?.width ?? 0);
  const fit = useMemo(
    () => fitColumns(shownColumns(resource.columns, columns.settings), Math.max(0, room - besides)),
    [resource, columns.settings, room, besides],
  );

  const sizes = useMemo(() => new Map(fit.columns.map(({ id }, index) => [id, fit.widths[index] ?? 0])), [fit]);

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
    isRowOpen: opening?.openId !== undefined,
    openFilters: () => setMenuOpen(true),
    openHelp: () => setHelpOpen(true),
    editRow: editHref && editRow,
    selectRow: selecting.selectRow,
    clearSelection: selected > 0 ? selecting.clear : undefined,
  });

  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 print:block">
      <ListViews {...{ resource, state, timeZone }} pageSize={navigation.pageSize} />
      <ListToolbar
        {...{ timeZone, menuOpen, find, action }}
        selected={selection?.all && result.count ? result.count.total : selected}
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
            {resource.savesViews && (
              <SavedViewsMenu
                resource={resource}
                state={{ filters: state.filters, sort: state.sort, columns: columns.settings }}
              />
            )}
            <DensityMenu density={density} onChange={setDensity} />
            <ColumnChooser columns={resource.columns} control={columns} sizes={sizes} left={fit.left} />
          </>
        }
        ownTools={
          Tools && (
            <Tools
              shown={{ ...state, count: result.count, selected: selecting.chosen }}
            />
          )
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
      <Panel className="relative flex min-h-64 flex-1 flex-col overflow-hidden print:block print:overflow-visible max-md:-mx-4 max-md:overflow-clip max-md:rounded-none max-md:border-x-0">
        {result.refreshing && (
          <ProgressBar
            thin
            label={t('refreshing')}
            className="absolute inset-x-0 top-0 z-20 bg-transparent"
          />
        )}
        <ListRegion
          ref={region}
          label={textOf(resource.texts.tableName)}
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
          <OriginContext value={origin}>
            <ListBody
              {...{ resource, result, navigation, density, origin, narrow, emptyAction, fit }}
              markedId={place.markedId}
              columnControl={columns}
              actions={rowActions}
              opening={opening}
              selection={selection}
            />
          </OriginContext>
        </ListRegion>
        {result.status === 'ready' && result.count && (
          <ListFooter
            shown={result.rows.length}
            count={result.count}
            limit={state.limit}
            offset={state.offset}
            loading={result.refreshing}
            shortcuts={shortcuts}
            onLimit={navigation.setLimit}
            onOffset={navigation.setOffset}
          />
        )}
      </Panel>
      {panel}
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

interface ListToolbarProps {
  fields: readonly FilterField[];
  filters: Filter[];
  timeZone: string;
  count: ListCount | undefined;
  loading: boolean;
  /** How many rows are selected. */
  selected: number;
  texts: ResourceTexts;
  find: FindField | undefined;
  menuOpen: boolean;
  onMenuOpenChange: (open: boolean) => void;
  onChange: (filters: Filter[], replace?: boolean) => void;
  onHelp: () => void;
  /** Column chooser and row height; not on a narrow screen. */
  tools: ReactNode;
  /** Tools of the list itself, such as an export; on all screen sizes. */
  ownTools: ReactNode;
  /** Turns selection mode on and off on a narrow screen. */
  selecting: ReactNode;
  /** The primary action of the list, such as creating a record. */
  action: ReactNode;
}

function ListToolbar(props: ListToolbarProps) {
  const { fields, filters, timeZone, count, loading, texts, onChange, onHelp, tools, action } = props;
  const { find, selected, selecting, ownTools } = props;
  const { t } = useTranslation('list');
  const textOf = useText();
  const button = useRef<HTMLButtonElement>(null);

  const counted =
    count &&
    textOf(count.exact ? texts.count : texts.countOver, {
      count: count.total,
      shown: formatCount(count.total),
    });
  const selectedText = t('selection.count', { count: selected, shown: formatCount(selected) });

  return (
    <div className="flex flex-wrap items-center gap-2">
      {find && <FindBox {...{ find, filters, onChange }} />}
      <FilterMenu
        {...{ fields, filters, timeZone, button, onChange }}
        open={props.menuOpen}
        onOpenChange={props.onMenuOpenChange}
      />
      {filters.length > 0 && (
        <>
          <FilterChips
            {...{ fields, filters, timeZone, button }}
            label={t('activeFilters')}
            className="contents max-md:hidden"
            onChange={onChange}
          />
          <Button
            variant="quiet"
            onClick={() => {
              onChange([]);
              button.current?.focus();
            }}
          >
            {t('clear')}
          </Button>
        </>
      )}
      <div className="ms-auto flex flex-wrap items-center justify-end gap-2">
        <p role="status" className="px-1 text-sm whitespace-nowrap text-muted tabular-nums">
          {selected > 0 && counted
            ? t('selection.withCount', { selected: selectedText, matching: counted })
            : (counted ?? (loading && t('loading')))}
        </p>
        <div className="flex items-center gap-2 max-md:hidden">
          {tools}
          <IconButton
            icon={Keyboard}
            label={t('help.open')}
            shortcut="?"
            variant="default"
            onClick={onHelp}
          />
        </div>
        {ownTools}
        {selecting}
        {action}
      </div>
    </div>
  );
}

interface FindBoxProps {
  find: FindField;
  filters: readonly Filter[];
  onChange: (filters: Filter[], replace?: boolean) => void;
}

const FIND_DEBOUNCE_MS = 300;

function isOwn(filter: Filter, key: string): boolean {
  return filter.key === key && filter.operator === 'contains' && filter.values.length === 1;
}

function withText(filters: readonly Filter[], key: string, text: string): Filter[] {
  const others = filters.filter((filter) => !isOwn(filter, key));
  if (!text) return others;
  return [...others, { key, operator: 'contains', values: [{ label: text, value: text }] }];
}

/** Searches one field while typing: after a pause, sets a "contains" filter in the URL. */
function FindBox({ find, filters, onChange }: FindBoxProps) {
  const { t } = useTranslation('list');
  const textOf = useText();
  const { key, labelKey } = find;
  const applied = filters.find((filter) => isOwn(filter, key))?.values[0]?.value ?? '';
  const box = useRef<HTMLInputElement>(null);
  const [text, setText] = useState(applied);
  const [seen, setSeen] = useState(applied);
  const [sent, setSent] = useState(applied);
  if (applied !== seen) {
    setSeen(applied);
    // The filter was changed elsewhere: by Back, or by removing its chip.
    if (applied !== sent) {
      setSent(applied);
      setText(applied);
    }
  }

  const wanted = text.trim();
  useEffect(() => {
    if (wanted === sent) return undefined;
    const timer = setTimeout(() => {
      setSent(wanted);
      onChange(withText(filters, key, wanted), true);
    }, FIND_DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [wanted, sent, filters, key, onChange]);

  function clear() {
    setText('');
    // The button disappears. Without the focus, the letters typed next would be shortcuts of the list.
    box.current?.focus();
  }

  return (
    <search className="w-64 max-md:w-full">
      <Input
        ref={box}
        size={32}
        value={text}
        onChange={({ target }) => setText(target.value)}
        aria-label={t('find', { field: textOf(labelKey) })}
        placeholder={textOf(labelKey)}
        maxLength={64}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        start={<Search aria-hidden className="size-4" />}
        end={text && <IconButton icon={X} size={28} label={t('clearFind')} onClick={clear} />}
      />
    </search>
  );
}
