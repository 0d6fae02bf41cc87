import {
  ChartColumn,
  CircleCheck,
  CircleSlash,
  Code,
  Download,
  LoaderCircle,
  Square,
  Table2,
} from 'lucide-react';
import { memo, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { AnalyticsFailure } from '@/domain/analytics/failure';
import { formatMeasure } from '@/domain/analytics/measures';
import { CellLoading } from '@/data/query-state';
import { useTimeZone } from '@/data/use-time-zone';
import type { AnalyticsRow } from '@/domain/analytics/query';
import { useNameOf } from '@/i18n/texts';
import { toCsv } from '@/lib/csv';
import { dayOf, formatTime } from '@/lib/dates';
import { downloadText } from '@/lib/download-text';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { ChartPanel } from '@/ui/charts/chart-panel';
import type { PlotKind } from '@/ui/charts/plot';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { ProgressBar } from '@/ui/progress-bar';
import { Segmented } from '@/ui/tabs';
import { StateView } from '@/ui/state-view';
import { Table, type TableColumn } from '@/ui/table';
import { DEFAULT_LIMIT } from './draft';
import { chartOf, columnsOf, type ResultColumn, rowsOf, sortOf, textOf } from './results';
import { type RunState, useSql } from './use-lab';

const VIEWS = ['chart', 'table', 'sql'] as const;
type View = (typeof VIEWS)[number];
const icons = { chart: ChartColumn, table: Table2, sql: Code };
const KINDS = ['stacked', 'bars', 'line', 'area'] as const satisfies readonly PlotKind[];

interface ResultPaneProps {
  state: RunState;
  /** Hides the SQL statement of the query. */
  runOnly?: boolean;
  onRun: () => void;
  onCancel: () => void;
}

function ResultPanePlain({ state, runOnly = false, onRun, onCancel }: ResultPaneProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const timeZone = useTimeZone();
  const [view, setView] = useState<View>('chart');
  const { status, results } = state;
  const columns = useMemo(() => (results ? columnsOf(results, { query: t('query'), compared: t('range') }) : []), [results, t]);
  const rows = useMemo(() => (results ? rowsOf(results) : []), [results]);
  // Each compared range and each blended query has a limit of its own.
  const limit = results
    ?.map(({ data, query }) => ({ rows: data.length, limit: query.limit ?? DEFAULT_LIMIT }))
    .find((result) => result.rows >= result.limit)?.limit;

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
          segments={VIEWS.filter((value) => !runOnly || value !== 'sql').map((value) => ({ value, label: t(`views.${value}`), icon: icons[value] }))}
        />
        <RunStatus {...{ state, timeZone, onCancel }} rows={rows.length} />
        <Button icon={Download} disabled={rows.length === 0} onClick={saveCsv}>
          {t('csv')}
        </Button>
      </div>
      {status === 'running' && <ProgressBar thin label={t('running')} />}
      {limit !== undefined && (
        <Note tone="warn" title={t(runOnly ? 'shared.capped' : 'capped', { limit: formatCount(limit) })} />
      )}
      <ResultBody {...{ view, state, columns, rows, runOnly, onRun }} />
    </div>
  );
}

/** Memoized, so that typing the next query does not render the result again. */
export const ResultPane = memo(ResultPanePlain);

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
      <p role="status" className="ms-auto flex items-center gap-2 text-xs text-muted tabular-nums">
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
  runOnly: boolean;
  onRun: () => void;
}

function ResultBody({ view, state, columns, rows, runOnly, onRun }: ResultBodyProps) {
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
        <StateView kind="empty" title={t('start.title')} text={t(runOnly ? 'shared.start' : 'start.text')} />
      </Panel>
    );
  }
  if (rows.length === 0) {
    return (
      <Panel>
        <StateView kind="no-match" title={t('noRows.title')} text={runOnly ? undefined : t('noRows.text')} />
      </Panel>
    );
  }
  const table = <ResultTable {...{ columns, rows }} />;
  return view === 'table' ? table : <ResultChartPanel {...{ columns, rows, results }} table={table} />;
}

type ChartProps = Pick<ResultBodyProps, 'columns' | 'rows'> & {
  results: NonNullable<RunState['results']>;
  table: React.ReactNode;
};

function ResultChartPanel({ columns, rows, results, table }: ChartProps) {
  const { t } = useTranslation(['query-lab', 'common', 'reports']);
  const [kind, setKind] = useState<PlotKind>();
  const chart = useMemo(() => {
    const query = (number: string) => t('queryNumber', { number });
    return chartOf(columns, rows, { none: t('common:none'), others: t('reports:others'), query }, sortOf(results));
  }, [columns, rows, results, t]);
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
      {data.leftOut > 0 && (
        <Note tone="warn" title={t('reports:notInChart', { count: data.leftOut, shown: formatCount(data.leftOut) })} />
      )}
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

/** Maximum number of rows shown on screen. The download has all rows. */
const MOST_ROWS = 500;

interface ResultTableProps {
  columns: readonly ResultColumn[];
  rows: readonly AnalyticsRow[];
}

function ResultTable({ columns, rows }: ResultTableProps) {
  const { t } = useTranslation(['query-lab', 'common']);
  const none = t('common:none');
  const shown = useMemo(() => rows.slice(0, MOST_ROWS), [rows]);
  const tableColumns = useMemo(
    () =>
      columns.map((column): TableColumn<AnalyticsRow> => ({
        id: column.key,
        header: column.title,
        headTip: column.key,
        headClassName: 'border-b',
        render: (row) => textOf(column, row, none),
        end: column.kind === 'measure',
      })),
    [columns, none],
  );
  return (
    <Panel className="overflow-hidden">
      {/* Scroll areas must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={t('result')} tabIndex={0} className="max-h-[36rem] overflow-auto focus-visible:-outline-offset-2">
        <Table
          look="results"
          caption={t('result')}
          columns={tableColumns}
          rows={shown}
          rowKey={(_, index) => String(index)}
        />
      </div>
      {rows.length > shown.length && (
        <p className="border-t border-line px-4 py-2 text-xs text-muted">
          {t('firstRows', { shown: formatCount(shown.length), all: formatCount(rows.length) })}
        </p>
      )}
    </Panel>
  );
}

/** The SQL of the last query, with its parameters. */
function SqlView({ query }: { query: RunState['query'] }) {
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
  const nameOf = useNameOf();
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
      <PanelHead title={t('sql.title')} note={source === undefined ? t('sql.note') : t('sql.from', { source: nameOf('query-lab:sql.sources', source) })} line />
      {/* Scroll areas must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <pre tabIndex={0} role="group" aria-label={t('sql.title')} className="max-h-96 overflow-auto px-4 py-3 font-mono text-sm whitespace-pre-wrap focus-visible:-outline-offset-2">
        {text}
      </pre>
      {parameters.length > 0 && (
        <div className="border-t border-line px-4 py-3">
          <h3 className="text-base font-semibold">{t('sql.parameters')}</h3>
          <dl className="mt-1 grid grid-cols-[auto_minmax(0,1fr)] gap-x-6 gap-y-1 font-mono text-sm">
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
