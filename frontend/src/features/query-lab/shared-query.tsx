import { Play } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { CellLoading, QueryState } from '@/data/query-state';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { ResultPane } from './result-pane';
import { type TabSaved, useRun } from './use-lab';
import type { SavedQuery, useSavedQueries } from './use-saved-queries';

interface Props {
  saved: TabSaved;
  queries: ReturnType<typeof useSavedQueries>;
  onClose: () => void;
}

/** Shows a query that somebody else shares. The user can run it, but cannot see or edit it. */
export function SharedQuery({ saved, queries: { queries, error, fetching, retry }, onClose }: Props) {
  const { t } = useTranslation('query-lab');
  const found = queries && (queries.find(({ id }) => id === saved.id) ?? null);
  const gone = (
    <Panel>
      <StateView
        kind="empty"
        title={t('shared.gone', { name: saved.name })}
        text={t('shared.goneText')}
        actions={<Button onClick={onClose}>{t('shared.close')}</Button>}
      />
    </Panel>
  );
  return (
    <QueryState
      // A query that is not in the list may be new, so wait until the list has reloaded.
      value={found === null && fetching ? undefined : found}
      error={error}
      onRetry={retry}
      loading={
        <Panel>
          <CellLoading />
        </Panel>
      }
      empty={gone}
    >
      {(query) => <RunOnly query={query} />}
    </QueryState>
  );
}

function RunOnly({ query: { id, name, owner } }: { query: SavedQuery }) {
  const { t } = useTranslation('query-lab');
  const { state, run, cancel } = useRun();
  // Not recorded in the history, which stores texts: the browser does not have the text of a shared query.
  const start = () => void run({ savedQuery: id });
  return (
    <div className="grid min-h-0 flex-1 grid-cols-1 items-start gap-4 lg:grid-cols-[304px_minmax(0,1fr)]">
      <Panel aria-label={t('query')} className="flex min-w-0 flex-col">
        <div className="border-b border-line px-4 py-3">
          <h2 className="text-base font-semibold wrap-anywhere">{name}</h2>
          <p className="mt-0.5 text-xs text-muted wrap-anywhere">{t('saved.by', { owner })}</p>
        </div>
        <div className="p-3">
          <Note title={t('shared.title')}>{t('shared.text')}</Note>
        </div>
        <div className="border-t border-line p-3">
          <Button variant="primary" size={36} icon={Play} className="w-full" onClick={start}>
            {t('run')}
          </Button>
        </div>
      </Panel>
      <ResultPane {...{ state }} runOnly onRun={start} onCancel={cancel} />
    </div>
  );
}
