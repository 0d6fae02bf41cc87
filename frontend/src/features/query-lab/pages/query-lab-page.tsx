import { Braces, History, ListTree, Play } from 'lucide-react';
import { Suspense, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AnalyticsFailure } from '@/analytics/failure';
import { CellLoading } from '@/data/query-state';
import { useTimeZone } from '@/data/use-time-zone';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { Kbd } from '@/ui/kbd';
import { lazyPart } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { Segmented } from '@/ui/segmented';
import { Builder } from '../components/builder';
import { HistoryPanel } from '../components/history-panel';
import type { JsonFieldProps } from '../components/json-field';
import { LabTabs } from '../components/lab-tabs';
import { ResultPane } from '../components/result-pane';
import { draftOf, formatQuery, MAX_QUERY, parseQuery, queryOf } from '../draft';
import { type LabTab, useLab } from '../use-lab';
import { type Members, useMeta } from '../use-meta';
import { useRun } from '../use-run';

const JsonField = lazyPart<JsonFieldProps & { onMissing: () => void }>(
  () => import('../components/json-field'),
  ({ onMissing }) => onMissing(),
);

export default function QueryLabPage() {
  const { t } = useTranslation(['query-lab', 'common']);
  const timeZone = useTimeZone();
  const lab = useLab(timeZone);
  const meta = useMeta();
  const [showHistory, setShowHistory] = useState(false);
  const titleOf = (text: string) => titleOfQuery(text, meta.members) ?? t('untitled');

  return (
    <PageFrame className="gap-4 pt-1! md:pt-2!">
      <div className="flex items-center gap-3">
        <div className="min-w-0 flex-1">
          <LabTabs
            tabs={lab.tabs}
            current={lab.current.id}
            titleOf={(tab) => titleOf(tab.text)}
            onChoose={lab.choose}
            onClose={lab.close}
            onOpen={() => lab.open()}
          />
        </div>
        <Button icon={History} onClick={() => setShowHistory(true)}>
          {t('history.title')}
        </Button>
      </div>
      {meta.error !== undefined && !meta.members ? (
        <Panel className="flex min-h-64 flex-col">
          <AnalyticsFailure error={meta.error} onRetry={meta.retry} />
        </Panel>
      ) : (
        <Query
          key={lab.current.id}
          tab={lab.current}
          members={meta.members}
          timeZone={timeZone}
          onEdit={(changes) => lab.edit(lab.current.id, changes)}
          onRan={lab.note}
        />
      )}
      {showHistory && (
        <HistoryPanel
          history={lab.history}
          titleOf={titleOf}
          onOpen={(text) => {
            lab.open(text);
            setShowHistory(false);
          }}
          onForget={lab.forget}
          onClose={() => setShowHistory(false)}
        />
      )}
    </PageFrame>
  );
}

/** What a query is about, in the words of its members. */
function titleOfQuery(text: string, members: Members | undefined): string | undefined {
  const query = parseQuery(text);
  const { measures = [], dimensions = [] } = (Array.isArray(query) ? query[0] : query) ?? {};
  const name = (member: unknown) => (typeof member === 'string' ? (members?.titleOf(member) ?? member) : undefined);
  const [measure, dimension] = [name(measures[0]), name(dimensions[0])];
  return [measure, dimension].filter(Boolean).join(' / ') || undefined;
}

interface QueryProps {
  tab: LabTab;
  members: Members | undefined;
  timeZone: string;
  onEdit: (changes: Partial<Pick<LabTab, 'mode' | 'text'>>) => void;
  onRan: ReturnType<typeof useLab>['note'];
}

function Query({ tab, members, timeZone, onEdit, onRan }: QueryProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const { mode, text } = tab;
  const { state, run, cancel } = useRun((rows, ms) => onRan({ at: Date.now(), text, rows, ms }));
  const query = useMemo(() => parseQuery(text), [text]);
  const draft = useMemo(() => draftOf(query), [query]);
  const isRunnable = query !== undefined && text.length <= MAX_QUERY;

  function start() {
    if (query && isRunnable) void run(query);
  }

  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 items-start gap-4 lg:grid-cols-[304px_minmax(0,1fr)]">
      {/* The same key runs a query from every field of it. */}
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
            <h2 className="text-base font-semibold">{t('query')}</h2>
            <Segmented
              label={t('mode')}
              value={mode}
              onChange={(next) => onEdit({ mode: next, ...(next === 'builder' && draft && { text: formatQuery(queryOf(draft, timeZone)) }) })}
              segments={[
                { value: 'builder', label: t('builder'), icon: ListTree, disabled: !draft },
                { value: 'json', label: t('json.short'), icon: Braces },
              ]}
            />
          </div>
          {mode === 'builder' && draft && members && (
            <Builder
              {...{ draft, members, timeZone }}
              onChange={(next) => onEdit({ text: formatQuery(queryOf(next, timeZone)) })}
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
      <ResultPane {...{ state }} onRun={start} onCancel={cancel} />
    </div>
  );
}
