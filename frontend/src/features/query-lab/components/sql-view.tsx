import { useTranslation } from 'react-i18next';
import { AnalyticsFailure } from '@/analytics/failure';
import { CellLoading } from '@/data/query-state';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { useState } from 'react';
import { type RunState, useSql } from '../use-run';

/** The statement behind the query that ran last, with its values beside it. */
export function SqlView({ query }: { query: RunState['query'] }) {
  const { t } = useTranslation('query-lab');
  const [attempt, setAttempt] = useState(0);
  if (!query) {
    return (
      <Panel>
        <StateView kind="empty" title={t('sql.empty')} text={t('start.text')} />
      </Panel>
    );
  }
  return <Statements key={attempt} query={query} onRetry={() => setAttempt(attempt + 1)} />;
}

function Statements({ query, onRetry }: { query: NonNullable<RunState['query']>; onRetry: () => void }) {
  const { t } = useTranslation('query-lab');
  const { sql, error } = useSql(query);
  if (error !== undefined) {
    return (
      <Panel className="flex min-h-64 flex-col">
        <AnalyticsFailure error={error} onRetry={onRetry} />
      </Panel>
    );
  }
  if (!sql) {
    return (
      <Panel>
        <CellLoading />
      </Panel>
    );
  }
  return sql.map(({ text, parameters, source }, index) => (
    <Panel key={index} className="overflow-hidden">
      <PanelHead title={t('sql.title')} note={source === undefined ? t('sql.note') : t('sql.from', { source: t(`sql.sources.${source}`, { defaultValue: source }) })} line />
      {/* A region that scrolls must be reachable by keys. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={t('sql.title')} className="max-h-96 overflow-auto px-4 py-3 font-mono text-sm whitespace-pre-wrap focus-visible:-outline-offset-2">
        {text}
      </pre>
      {parameters.length > 0 && (
        <div className="border-t border-line px-4 py-3">
          <h3 className="text-base font-semibold">{t('sql.parameters')}</h3>
          <dl className="mt-1 grid grid-cols-[auto_1fr] gap-x-6 gap-y-1 font-mono text-sm">
            {parameters.map((value, at) => (
              <div key={at} className="contents">
                <dt className="text-warn">{at + 1}</dt>
                <dd className="wrap-anywhere">{value}</dd>
              </div>
            ))}
          </dl>
        </div>
      )}
    </Panel>
  ));
}
