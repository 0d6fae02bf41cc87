import { ChartColumn, CircleCheck, CircleSlash, Code, Download, LoaderCircle, Square, Table2 } from 'lucide-react';
import { useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AnalyticsFailure } from '@/analytics/failure';
import { formatMeasure } from '@/analytics/measures';
import { useTimeZone } from '@/data/use-time-zone';
import { toCsv } from '@/lib/csv';
import { dayOf, formatTime } from '@/lib/dates';
import { downloadText } from '@/lib/download-text';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { ChartPanel } from '@/ui/charts/chart-panel';
import type { PlotKind } from '@/ui/charts/plot';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { Segmented } from '@/ui/segmented';
import { StateView } from '@/ui/state-view';
import { DEFAULT_LIMIT } from '../draft';
import { chartOf, columnsOf, type ResultColumn, rowsOf, textOf } from '../results';
import type { RunState } from '../use-run';
import { ResultTable } from './result-table';
import { SqlView } from './sql-view';

const VIEWS = ['chart', 'table', 'sql'] as const;
type View = (typeof VIEWS)[number];
const icons = { chart: ChartColumn, table: Table2, sql: Code };
const KINDS = ['stacked', 'bars', 'line', 'area'] as const satisfies readonly PlotKind[];

interface ResultPaneProps {
  state: RunState;
  onRun: () => void;
  onCancel: () => void;
}

export function ResultPane({ state, onRun, onCancel }: ResultPaneProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const timeZone = useTimeZone();
  const [view, setView] = useState<View>('chart');
  const { status, results, query } = state;
  const columns = useMemo(() => (results ? columnsOf(results, query) : []), [results, query]);
  const rows = useMemo(() => (results ? rowsOf(results) : []), [results]);
  const limit = results?.[0]?.query.limit ?? DEFAULT_LIMIT;

  function saveCsv() {
    const cell = (column: ResultColumn, row: (typeof rows)[number]) => String(row[column.key] ?? '');
    downloadText(
      `query-${dayOf(new Date(), timeZone)}.csv`,
      toCsv([columns.map(({ title }) => title), ...rows.map((row) => columns.map((column) => cell(column, row)))]),
    );
  }

  return (
    <div className="flex min-w-0 flex-1 flex-col gap-3">
      <div className="flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
        <Segmented
          label={t('resultAs')}
          value={view}
          onChange={setView}
          segments={VIEWS.map((value) => ({ value, label: t(`views.${value}`), icon: icons[value] }))}
        />
        <RunStatus {...{ state, timeZone, onCancel }} rows={rows.length} />
        <Button icon={Download} disabled={rows.length === 0} onClick={saveCsv}>
          {t('csv')}
        </Button>
      </div>
      {status === 'running' && <ProgressBar thin label={t('running')} />}
      {results && rows.length >= limit && (
        <Note tone="warn" title={t('capped', { limit: formatCount(limit) })} />
      )}
      <ResultBody {...{ view, state, columns, rows, onRun }} />
    </div>
  );
}

interface RunStatusProps {
  state: RunState;
  rows: number;
  timeZone: string;
  onCancel: () => void;
}

function RunStatus({ state: { status, ms = 0, at = 0 }, rows, timeZone, onCancel }: RunStatusProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  return (
    <>
      <p role="status" className="ml-auto flex items-center gap-2 text-xs text-muted tabular-nums">
        {status === 'running' && (
          <>
            <LoaderCircle aria-hidden className="size-3.5 animate-spin" />
            {t('running')}
          </>
        )}
        {status === 'cancelled' && (
          <>
            <CircleSlash aria-hidden className="size-3.5" />
            {t('cancelled')}
          </>
        )}
        {status === 'done' && (
          <>
            <CircleCheck aria-hidden className="size-3.5 text-ok" />
            {t('done', {
              count: rows,
              shown: formatCount(rows),
              seconds: (ms / 1000).toFixed(2),
              time: formatTime(at, timeZone),
            })}
          </>
        )}
      </p>
      {status === 'running' && (
        <Button icon={Square} onClick={onCancel}>
          {t('common:cancel')}
        </Button>
      )}
    </>
  );
}

interface ResultBodyProps {
  view: View;
  state: RunState;
  columns: readonly ResultColumn[];
  rows: ReturnType<typeof rowsOf>;
  onRun: () => void;
}

function ResultBody({ view, state, columns, rows, onRun }: ResultBodyProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const { status, error, query, results } = state;
  if (status === 'failed') {
    return (
      <Panel className="flex min-h-64 flex-col">
        <AnalyticsFailure error={error} onRetry={onRun} />
      </Panel>
    );
  }
  if (view === 'sql') return <SqlView query={query} />;
  if (!results) {
    return (
      <Panel>
        <StateView kind="empty" title={t('start.title')} text={t('start.text')} />
      </Panel>
    );
  }
  if (rows.length === 0) {
    return (
      <Panel>
        <StateView kind="no-match" title={t('noRows.title')} text={t('noRows.text')} />
      </Panel>
    );
  }
  const table = (
    <ResultTable {...{ columns, rows }} textOf={(column, row) => textOf(column, row, t('common:none'))} />
  );
  return view === 'table' ? table : <ResultChartPanel {...{ columns, rows }} table={table} />;
}

type ChartProps = Pick<ResultBodyProps, 'columns' | 'rows'> & { table: React.ReactNode };

function ResultChartPanel({ columns, rows, table }: ChartProps) {
  const { t } = useTranslation(['query-lab', 'common', 'reports']);
  const [kind, setKind] = useState<PlotKind>();
  const chart = useMemo(
    () => chartOf(columns, rows, { none: t('common:none'), others: t('reports:others') }),
    [columns, rows, t],
  );
  if (!chart) {
    return (
      <>
        <Note title={t('noChart')} />
        {table}
      </>
    );
  }
  const { data, measure, heading, totals, rate } = chart;
  const usual = rate ? 'line' : totals ? 'stacked' : 'bars';
  const offered = KINDS.filter((entry) => totals || (entry !== 'stacked' && entry !== 'area'));
  return (
    <>
      <ChartPanel
        bare
        {...{ data, heading, totals }}
        kind={kind && offered.some((entry) => entry === kind) ? kind : usual}
        title={measure.title}
        height={280}
        format={formatMeasure(measure.key)}
        summary={t('chartSummary', { measure: measure.title, count: data.categories.length })}
        tools={
          <Segmented
            label={t('chartAs')}
            className="max-md:hidden"
            value={kind ?? usual}
            onChange={setKind}
            segments={offered.map((value) => ({ value, label: t(`kinds.${value}`) }))}
          />
        }
      />
      {table}
    </>
  );
}
