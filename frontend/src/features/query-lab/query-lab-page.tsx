import { Bookmark, Braces, DatabaseBackup, History, ListTree, Play, Plus, RefreshCw, X } from 'lucide-react';
import { Suspense, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { CellLoading, QueryState } from '@/data/query-state';
import { usePolling } from '@/data/use-polling';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { AnalyticsFailure } from '@/domain/analytics/failure';
import { SignOutGuard } from '@/form/sign-out-guard';
import { formatDateTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { PageFrame } from '@/shell/page-frame';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { DateTime } from '@/ui/date-time';
import { Kbd } from '@/ui/tag';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { Segmented } from '@/ui/tabs';
import { SidePanel } from '@/ui/side-panel';
import { type JobState, StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { useFocusFallback } from '@/ui/use-focus-fallback';
import { Builder } from './builder';
import { draftOf, formatQuery, MAX_QUERY, parseQuery, queryOf } from './draft';
import type { JsonFieldProps } from './json-field';
import { type Rebuild, rebuildMutation, rebuildQuery } from './queries';
import { ResultPane } from './result-pane';
import { SavedQueriesPanel } from './saved-queries-panel';
import { SavedQueryMenu } from './saved-query-menu';
import { SharedQuery } from './shared-query';
import { type HistoryEntry, type LabTab, MAX_TABS, type Members, type TabChanges, useLab, useMeta, useRun } from './use-lab';
import { type SavedQuery, useSavedQueries } from './use-saved-queries';

const JsonField = lazyPart<JsonFieldProps & { onMissing: () => void }>(
  () => import('./json-field'),
  ({ onMissing }) => onMissing(),
);

export default function QueryLabPage() {
  const { t } = useTranslation(['query-lab', 'common']);
  const timeZone = useTimeZone();
  const saved = useSavedQueries();
  const lab = useLab(timeZone, saved.queries);
  const meta = useMeta();
  const [side, setSide] = useState<'saved' | 'history' | 'rebuild'>();
  const titleOf = (text: string) => titleOfQuery(text, meta.members) ?? t('untitled');
  const savedOf = (tab: LabTab) => tab.saved && saved.queries?.find(({ id }) => id === tab.saved?.id);
  const { current } = lab;

  function open(...query: Parameters<typeof lab.open>) {
    if (lab.open(...query)) setSide(undefined);
    else toast.error(t('full', { most: MAX_TABS }));
  }

  return (
    <PageFrame className="gap-4 pt-1! md:pt-2!">
      <SignOutGuard when={lab.hasUnsaved} text={t('signOut')} />
      <div className="flex flex-wrap items-center gap-3">
        <div className="min-w-0 flex-1 max-md:basis-full">
          <LabTabs
            tabs={lab.tabs}
            current={current.id}
            titleOf={(tab) => savedOf(tab)?.name ?? tab.saved?.name ?? titleOf(tab.text)}
            onChoose={lab.choose}
            onClose={lab.close}
            onOpen={() => open()}
          />
        </div>
        <Button icon={Bookmark} onClick={() => setSide('saved')}>
          {t('saved.title')}
        </Button>
        <Button icon={DatabaseBackup} onClick={() => setSide('rebuild')}>
          {/* Three labels are too wide for a phone. */}
          <span className="max-md:sr-only">{t('rebuild.open')}</span>
        </Button>
        <Button icon={History} onClick={() => setSide('history')}>
          {t('history.title')}
        </Button>
      </div>
      {meta.error !== undefined && !meta.members ? (
        <Panel className="flex min-h-64 flex-col">
          <AnalyticsFailure error={meta.error} onRetry={meta.retry} />
        </Panel>
      ) : current.saved?.isOwn === false ? (
        <SharedQuery key={current.id} saved={current.saved} queries={saved} onClose={() => lab.close(current.id)} />
      ) : (
        <Query
          key={current.id}
          tab={current}
          saved={savedOf(current)}
          members={meta.members}
          timeZone={timeZone}
          onEdit={(changes) => lab.edit(current.id, changes)}
          onRan={lab.note}
        />
      )}
      {side === 'saved' && (
        <SavedQueriesPanel
          saved={saved}
          onOpen={({ id, name, isOwn, text }) => open(text, { id, name, isOwn })}
          onClose={() => setSide(undefined)}
        />
      )}
      {side === 'rebuild' && <RebuildPanel onClose={() => setSide(undefined)} />}
      {side === 'history' && (
        <HistoryPanel
          history={lab.history}
          titleOf={titleOf}
          onOpen={(text) => open(text)}
          onForget={lab.forget}
          onClose={() => setSide(undefined)}
        />
      )}
    </PageFrame>
  );
}

/** Titles a query after its members. */
function titleOfQuery(text: string, members: Members | undefined): string | undefined {
  const query = parseQuery(text);
  const { measures = [], dimensions = [] } = (Array.isArray(query) ? query[0] : query) ?? {};
  const name = (member: unknown) => (typeof member === 'string' ? (members?.titleOf(member) ?? member) : undefined);
  const [measure, dimension] = [name(measures[0]), name(dimensions[0])];
  return [measure, dimension].filter(Boolean).join(' / ') || undefined;
}

interface QueryProps {
  tab: LabTab;
  /** The user's saved query that the tab edits. */
  saved: SavedQuery | undefined;
  members: Members | undefined;
  timeZone: string;
  onEdit: (changes: TabChanges) => void;
  onRan: ReturnType<typeof useLab>['note'];
}

function Query({ tab, saved, members, timeZone, onEdit, onRan }: QueryProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const { mode, text } = tab;
  const { state, run, cancel } = useRun();
  const query = useMemo(() => parseQuery(text), [text]);
  const draft = useMemo(() => draftOf(query, members?.times), [query, members]);
  const isRunnable = query !== undefined && text.length <= MAX_QUERY;

  function start() {
    if (query && isRunnable) void run(query, (rows, ms) => onRan({ at: Date.now(), text, rows, ms }));
  }
  const latestStart = useRef(start);
  useLayoutEffect(() => {
    latestStart.current = start;
  });
  const rerun = useCallback(() => latestStart.current(), []);

  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 items-start gap-4 lg:grid-cols-[304px_minmax(0,1fr)]">
      {/* Handled here so that the shortcut runs the query from any of its fields. */}
      {/* oxlint-disable-next-line jsx-a11y/no-static-element-interactions */}
      <div
        onKeyDown={(event) => {
          if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
          event.preventDefault();
          start();
        }}
      >
        <Panel aria-label={t('query')} className="flex min-w-0 flex-col">
          <div className="flex items-center justify-between gap-2 border-b border-line px-4 py-2">
            <h2 className="flex-1 text-base font-semibold">{t('query')}</h2>
            <Segmented
              label={t('mode')}
              value={draft ? mode : 'json'}
              onChange={(next) => onEdit({ mode: next, ...(next === 'builder' && draft && { text: formatQuery(queryOf(draft)) }) })}
              segments={[
                { value: 'builder', label: t('builder'), icon: ListTree, disabled: !draft },
                { value: 'json', label: t('json.short'), icon: Braces },
              ]}
            />
            <SavedQueryMenu text={text} isValid={isRunnable} open={saved} onLink={(it) => onEdit({ saved: it })} />
          </div>
          {saved && <SavedAs saved={saved} isChanged={saved.text !== text} />}
          {mode === 'builder' && draft && members && (
            <Builder
              {...{ draft, members, timeZone }}
              onChange={(next) => onEdit({ text: formatQuery(queryOf(next)) })}
            />
          )}
          {mode === 'builder' && !members && <CellLoading />}
          {(mode === 'json' || !draft) && (
            <div className="h-[26rem] min-w-0">
              <Suspense fallback={<CellLoading />}>
                <JsonField
                  {...{ text, members }}
                  onChange={(next) => onEdit({ text: next.slice(0, MAX_QUERY) })}
                  onRun={start}
                  onMissing={() => onEdit({ mode: 'builder' })}
                />
              </Suspense>
            </div>
          )}
          {(mode === 'json' || !draft) && !draft && (
            <Note tone={query ? 'info' : 'bad'} role="status" className="m-3" title={t(query ? 'json.beyond' : 'json.wrong')} />
          )}
          <div className="sticky bottom-0 rounded-b-panel border-t border-line bg-surface p-3">
            <Button variant="primary" size={36} icon={Play} className="w-full" disabled={!isRunnable} onClick={start}>
              {t('run')}
              <span aria-hidden className="flex gap-1 max-md:hidden">
                <Kbd>Ctrl</Kbd>
                <Kbd>↵</Kbd>
              </span>
            </Button>
          </div>
        </Panel>
      </div>
      <ResultPane {...{ state }} onRun={rerun} onCancel={cancel} />
    </div>
  );
}

function SavedAs({ saved: { name, shared }, isChanged }: { saved: SavedQuery; isChanged: boolean }) {
  const { t } = useTranslation('query-lab');
  const parts = [...(shared ? [t('saved.sharedTag')] : []), ...(isChanged ? [t('saved.changed')] : [])];
  return (
    <p className="border-b border-line px-4 py-2 text-xs text-muted wrap-anywhere">
      <span className="font-medium text-fg">{name}</span>
      {parts.map((part) => ` · ${part}`).join('')}
    </p>
  );
}

interface HistoryPanelProps {
  history: readonly HistoryEntry[];
  titleOf: (text: string) => string;
  onOpen: (text: string) => void;
  onForget: () => void;
  onClose: () => void;
}

/** Lists the queries that were run in this browser, latest first. */
function HistoryPanel({ history, titleOf, onOpen, onForget, onClose }: HistoryPanelProps) {
  const { t } = useTranslation('query-lab');
  const timeZone = useTimeZone();
  return (
    <SidePanel title={t('history.title')} subtitle={t('history.note')} onClose={onClose}>
      {history.length === 0 ? (
        <p className="text-sm text-muted">{t('history.none')}</p>
      ) : (
        <>
          <ul className="flex flex-col divide-y divide-line">
            {history.map(({ at, text, rows, ms }) => (
              <li key={`${at} ${text}`}>
                <button
                  type="button"
                  className="w-full rounded-control px-2 py-2.5 text-start text-sm hover:bg-raised focus-visible:-outline-offset-2"
                  onClick={() => onOpen(text)}
                >
                  <span className="block truncate font-medium">{titleOf(text)}</span>
                  <span className="block text-xs text-muted tabular-nums">
                    {formatDateTime(at, timeZone)}
                    {' · '}
                    {rows === null
                      ? t('history.failed')
                      : t('history.rows', { count: rows, shown: formatCount(rows), seconds: (ms / 1000).toFixed(2) })}
                  </span>
                </button>
              </li>
            ))}
          </ul>
          <Button className="mt-4" onClick={onForget}>
            {t('history.clear')}
          </Button>
        </>
      )}
    </SidePanel>
  );
}

interface LabTabsProps {
  tabs: readonly LabTab[];
  current: string;
  titleOf: (tab: LabTab) => string;
  onChoose: (id: string) => void;
  onClose: (id: string) => void;
  onOpen: () => void;
}

/** The open queries. Not an ARIA tab list, since each entry has its own close button. */
function LabTabs({ tabs, current, titleOf, onChoose, onClose, onOpen }: LabTabsProps) {
  const { t } = useTranslation('query-lab');
  const list = useFocusFallback<HTMLElement>((nav) => nav.querySelector<HTMLElement>('[aria-current]'));
  return (
    <nav ref={list} aria-label={t('queries')} className="flex items-center gap-1 border-b border-line">
      <ul className="-mb-px flex min-w-0 overflow-x-auto [scrollbar-width:none]">
        {tabs.map((tab) => {
          const isCurrent = tab.id === current;
          const title = titleOf(tab);
          return (
            <li
              key={tab.id}
              className={cn(
                'flex h-10 shrink-0 items-center border-b-2 text-sm',
                isCurrent ? 'border-accent text-accent' : 'border-transparent text-muted hover:text-fg',
              )}
            >
              <button
                type="button"
                aria-current={isCurrent || undefined}
                className="h-full max-w-56 truncate rounded-control pe-1 ps-3 font-medium focus-visible:-outline-offset-2"
                onClick={() => onChoose(tab.id)}
              >
                {title}
              </button>
              <button
                type="button"
                aria-label={t('closeQuery', { title })}
                data-tip={t('closeQuery', { title })}
                className="hit-target me-1 flex size-6 items-center justify-center rounded-control text-muted hover:bg-hover hover:text-fg"
                onClick={() => onClose(tab.id)}
              >
                <X aria-hidden className="size-3.5" />
              </button>
            </li>
          );
        })}
      </ul>
      <IconButton icon={Plus} label={t('newQuery')} size={28} onClick={onOpen} />
    </nav>
  );
}

const STATES: readonly JobState[] = ['waiting', 'running', 'done', 'failed', 'cancelled'];
const LOOK_MS = 2_000;
const context = { additionalTypenames: ['AnalyticsRebuild'] };

/** Progress of the last rebuild of reporting data, with a button to start one. */
function RebuildPanel({ onClose }: { onClose: () => void }) {
  const { t } = useTranslation('query-lab');
  const { value: last, error, status, retry, refresh } = useRecord({
    document: rebuildQuery,
    variables: {},
    typenames: ['AnalyticsRebuild'],
    read: ({ analyticsRebuild }) => analyticsRebuild,
  });
  const [{ fetching: isStarting }, rebuild] = useMutation(rebuildMutation);
  const isOpen = last?.state === 'waiting' || last?.state === 'running';
  usePolling(refresh, isOpen ? LOOK_MS : undefined);

  async function start() {
    if (isStarting || isOpen) return;
    const { error: failure } = await rebuild({}, context);
    if (failure) toast.error(errorText(normalizeError(failure)));
  }

  return (
    <SidePanel title={t('rebuild.title')} subtitle={t('rebuild.note')} onClose={onClose}>
      <div className="flex flex-col gap-4 text-sm">
        <p>{t('rebuild.text')}</p>
        <QueryState
          value={last}
          error={error}
          status={status}
          onRetry={retry}
          empty={<p className="text-muted">{t('rebuild.none')}</p>}
        >
          {(rebuild) => <LastRebuild rebuild={rebuild} />}
        </QueryState>
        <div>
          <Button icon={RefreshCw} aria-disabled={isOpen || isStarting || undefined} onClick={() => void start()}>
            {t(isOpen ? 'rebuild.running' : 'rebuild.start')}
          </Button>
        </div>
      </div>
    </SidePanel>
  );
}

function LastRebuild({ rebuild }: { rebuild: Rebuild }) {
  const { t } = useTranslation('query-lab');
  const { state, deliveries, total, failureText, createdBy, createdAt, finishedAt } = rebuild;
  const isOver = finishedAt !== null;
  return (
    <div className="flex flex-col gap-2 rounded-panel border border-line p-4">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <StatusChip kind="job" status={STATES.find((it) => it === state) ?? 'running'} />
        <span className="tabular-nums" aria-live="polite">
          {total === null
            ? t('rebuild.read', { shown: formatCount(deliveries), count: deliveries })
            : t('rebuild.progress', { shown: formatCount(deliveries), total: formatCount(total) })}
        </span>
      </div>
      {!isOver && <ProgressBar label={t('rebuild.title')} value={total ? deliveries / total : undefined} />}
      {state === 'failed' && failureText && <p className="text-bad">{failureText}</p>}
      <p className="text-xs text-muted">
        {t('rebuild.by', { by: createdBy })} <DateTime instant={createdAt} />
        {finishedAt && (
          <>
            {' · '}
            {t('rebuild.ended')} <DateTime instant={finishedAt} />
          </>
        )}
      </p>
    </div>
  );
}
