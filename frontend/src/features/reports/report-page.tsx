import { useTranslation } from 'react-i18next';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { formatBucket } from '@/domain/analytics/buckets';
import {
  deliveriesAddress,
  DISPATCH,
  type DrillDown,
  filtersOfRow,
  withStatuses,
} from '@/domain/analytics/delivery-filters';
import { AnalyticsFailure } from '@/domain/analytics/failure';
import { addsUp, countedStatuses, formatMeasure, isRate } from '@/domain/analytics/measures';
import { NO_VALUE, OTHERS, pivot } from '@/domain/analytics/pivot';
import { normalizeError } from '@/data/errors';
import { QueryFailure, RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { type AnalyticsRow, bucketKey, numberOf } from '@/domain/analytics/query';
import { useNameOf } from '@/i18n/texts';
import { toCsv } from '@/lib/csv';
import { dayOf } from '@/lib/dates';
import { downloadBlob } from '@/lib/download-blob';
import { downloadText } from '@/lib/download-text';
import { formatCount } from '@/lib/numbers';
import { formatDateValues } from '@/list/date-values';
import { StaleNote } from '@/list/stale-note';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { STATUS_ORDER } from '@/ui/charts/chart-data';
import { ChartPanel, PlotSkeleton } from '@/ui/charts/chart-panel';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import { ROW_LIMIT, type ShownColumn, shownColumns } from './definition';
import { type SavedReport, savedReportQuery } from './queries';
import { ReportMenu, ReportToolbar } from './report-toolbar';
import { type Report, useReport } from './use-report';

export default function ReportPage() {
  const [params] = useSearchParams();
  const id = params.get('setting');
  return (
    <PageFrame className="gap-4">{id ? <Saved key={id} id={id} /> : <ReportView saved={undefined} />}</PageFrame>
  );
}

function Saved({ id }: { id: string }) {
  const { t } = useTranslation('reports');
  const result = useRecord({
    document: savedReportQuery,
    variables: { id },
    typenames: ['ReportSetting'],
    read: ({ reportSetting }) => reportSetting,
  });
  return (
    <RecordState
      result={result}
      loading={
        <Panel aria-busy>
          <PlotSkeleton height={320} />
        </Panel>
      }
      notFound={{
        title: t('notFound.title'),
        text: t('notFound.text'),
        action: t('notFound.action'),
        to: routes.report(),
      }}
    >
      {(saved) => <ReportView saved={saved} />}
    </RecordState>
  );
}

const CHART_HEIGHT = 300;

function ReportView({ saved }: { saved: SavedReport | undefined }) {
  const page = useReport(saved);
  const { rows, timeZone, failure, reread } = page;
  const { t } = useTranslation('reports');
  const texts = useReportTexts(page);
  const found = rows.results?.[0]?.data;

  function saveCsv() {
    if (!found) return;
    const columns = shownColumns(page.report, texts.titleOf);
    const lines = found.map((row) =>
      columns.map((column) => (column.kind === 'measure' ? String(row[column.key] ?? '') : texts.textOf(column, row))),
    );
    downloadText(
      `report-${dayOf(new Date(), timeZone)}.csv`,
      toCsv([columns.map(({ title }) => title), ...lines]),
    );
  }

  async function saveXlsx() {
    if (!found) return;
    const columns = shownColumns(page.report, texts.titleOf);
    const lines = found.map((row) =>
      columns.map((column) => (column.kind === 'measure' ? numberOf(row[column.key]) : texts.textOf(column, row))),
    );
    const { toXlsx } = await import('@/lib/xlsx');
    const book = await toXlsx(saved?.name ?? t('first'), [columns.map(({ title }) => title), ...lines]);
    downloadBlob(`report-${dayOf(new Date(), timeZone)}.xlsx`, book);
  }

  return (
    <>
      <ReportMenu
        report={page}
        files={found && found.length > 0 ? { csv: saveCsv, xlsx: () => void saveXlsx() } : undefined}
      />
      <p className="hidden text-title font-semibold print:block">{saved?.name ?? t('first')}</p>
      <ReportToolbar report={page} />
      {rows.isStale && rows.readAt !== undefined && (
        <StaleNote since={rows.readAt} timeZone={timeZone} onRetry={rows.retry} />
      )}
      {found && found.length >= ROW_LIMIT && <Note tone="warn" title={t('limited', { limit: ROW_LIMIT })} />}
      <ReportBody {...{ page, texts, found, failure, reread }} />
    </>
  );
}

type Texts = ReturnType<typeof useReportTexts>;

/** Returns functions that label members, values and measures. */
function useReportTexts({ report, members }: Report) {
  const { t } = useTranslation(['reports', 'common']);
  const nameOf = useNameOf();
  const titleOf = (member: string) =>
    report.columns.find((column) => column.member === member)?.label ||
    (members.find((entry) => entry.member === member)?.title ?? member);
  const labelOf = (member: string, value: string) => {
    if (value === NO_VALUE) return t(member === 'Driver.driverId' ? 'common:unassigned' : 'common:none');
    if (member === 'Delivery.deliverystatus') return nameOf('common:status.delivery', value);
    if (member === 'Shipment.shipmentstatus') return nameOf('common:status.shipment', value);
    return value;
  };
  const textOf = ({ kind, key, member }: ShownColumn, row: AnalyticsRow) => {
    const value = row[key];
    if (kind === 'measure') {
      const number = numberOf(value);
      return number === null ? '–' : formatMeasure(member)(number);
    }
    const text = value === null || value === undefined || value === '' ? NO_VALUE : String(value);
    if (kind === 'time' && report.granularity && text !== NO_VALUE) return formatBucket(text, report.granularity);
    return labelOf(member, text);
  };
  return { titleOf, labelOf, textOf };
}

interface BodyProps {
  page: Report;
  texts: Texts;
  found: readonly AnalyticsRow[] | undefined;
  failure: unknown;
  reread: () => void;
}

function ReportBody({ page, texts, found, failure, reread }: BodyProps) {
  const { rows, report, measure } = page;
  const { t } = useTranslation('reports');
  if (failure !== undefined) {
    return (
      <Panel className="flex min-h-64 flex-col">
        <QueryFailure error={normalizeError(failure)} onRetry={reread} />
      </Panel>
    );
  }
  if (rows.error !== undefined && !found) {
    return (
      <Panel className="flex min-h-64 flex-col">
        <AnalyticsFailure error={rows.error} isRetrying={rows.status === 'refetch'} onRetry={rows.retry} />
      </Panel>
    );
  }
  if (!found) {
    return (
      <Panel aria-busy>
        <p role="status" className="sr-only">
          {t('loading')}
        </p>
        <PlotSkeleton height={CHART_HEIGHT + 44} />
      </Panel>
    );
  }
  if (found.every((row) => report.measures.every((member) => !numberOf(row[member])))) {
    return (
      <Panel>
        <StateView kind="no-match" title={t('empty.title')} text={t('empty.text')} />
      </Panel>
    );
  }
  const { granularity, dimensions, measures } = report;
  const drawn = granularity ? 1 : 2;
  // Rates of groups cannot be added up.
  const isDrawable = dimensions.length <= drawn || !isRate(measure);
  return (
    <>
      {isDrawable && <ReportChart {...{ page, texts, found }} />}
      {(!isDrawable || measures.length > 1 || dimensions.length > drawn || page.saved) && (
        <ReportRows
          columns={shownColumns(report, texts.titleOf)}
          rows={found}
          textOf={texts.textOf}
          linkTo={(column, row) => (column.kind === 'measure' ? rowAddress(page, column.member, row, report) : undefined)}
        />
      )}
    </>
  );
}

/** The address of the deliveries counted in a row; undefined if the list cannot select exactly those. */
function rowAddress(
  { filters, range }: Report,
  measure: string,
  row: AnalyticsRow,
  by: Pick<DrillDown, 'dimensions' | 'granularity'>,
): string | undefined {
  const statuses = countedStatuses(measure);
  if (!statuses || !numberOf(row[measure])) return undefined;
  const found = filtersOfRow({ filters, range, row, ...by });
  const narrowed = found && statuses.length > 0 ? withStatuses(found, statuses) : found;
  return narrowed && deliveriesAddress(narrowed);
}

function ReportChart({ page, texts, found }: Pick<BodyProps, 'page' | 'texts'> & { found: readonly AnalyticsRow[] }) {
  const { report, range, timeZone, measure } = page;
  const { granularity, dimensions } = report;
  const { t } = useTranslation(['reports', 'report-settings']);
  const navigate = useNavigate();
  const [first, second] = dimensions;
  const split = granularity ? first : second;
  const by = granularity ? { dimension: DISPATCH, granularity, range } : first ? { dimension: first } : undefined;
  const totals = addsUp(measure, dimensions);
  const title = texts.titleOf(measure);
  const heading = granularity ? t(`report-settings:granularities.${granularity}`) : first ? texts.titleOf(first) : '';
  const data = pivot({
    rows: found,
    measure,
    by,
    split,
    order: STATUS_ORDER,
    additive: totals,
    labelOf: texts.labelOf,
    names: { measure: title, others: t('others') },
  });

  /** Returns the link of a table cell. An undefined category or series means all of them. */
  function linkTo(category: string | undefined, series: string | undefined): string | undefined {
    if (series === OTHERS) return undefined;
    const some: string[] = [];
    const row: Record<string, string | null> = { [measure]: '1' };
    const plain = (id: string) => (id === NO_VALUE ? null : id);
    const of = category !== undefined && granularity ? granularity : undefined;
    if (category !== undefined && of) row[bucketKey({ dimension: DISPATCH, granularity: of })] = category;
    if (category !== undefined && !granularity && first) {
      row[first] = plain(category);
      some.push(first);
    }
    if (series !== undefined && split) {
      row[split] = plain(series);
      some.push(split);
    }
    return rowAddress(page, measure, row, { dimensions: some, granularity: of });
  }

  return (
    <ChartPanel
      both
      kind={isRate(measure) ? 'line' : totals ? 'stacked' : 'bars'}
      data={data}
      title={split ? t('titleSplit', { measure: title, split: texts.titleOf(split) }) : title}
      note={formatDateValues([range.from, range.to], timeZone)}
      heading={heading}
      totals={totals}
      height={CHART_HEIGHT}
      format={formatMeasure(measure)}
      summary={t('summary', { measure: title, count: data.categories.length, series: data.series.length })}
      linkTo={linkTo}
      onPick={(category, series) => {
        const to = linkTo(category, series);
        if (to) void navigate(to);
      }}
    />
  );
}

/** Maximum number of rows shown on screen. The download has all rows. */
export const MOST_ROWS = 200;

interface ReportRowsProps {
  columns: readonly ShownColumn[];
  rows: readonly AnalyticsRow[];
  textOf: (column: ShownColumn, row: AnalyticsRow) => string;
  linkTo: (column: ShownColumn, row: AnalyticsRow) => string | undefined;
}

/** Table of a report with more columns than a chart can show. */
function ReportRows({ columns, rows, textOf, linkTo }: ReportRowsProps) {
  const { t } = useTranslation('reports');
  const shown = rows.slice(0, MOST_ROWS);
  return (
    <Panel aria-labelledby="report-rows" className="overflow-hidden">
      <PanelHead
        id="report-rows"
        title={t('rows')}
        note={
          rows.length > shown.length
            ? t('firstRows', { shown: formatCount(shown.length), all: formatCount(rows.length) })
            : t('rowCount', { count: rows.length, shown: formatCount(rows.length) })
        }
      />
      {/* Scroll areas must be reachable by keyboard. */}
      {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex */}
      <div role="group" aria-label={t('rows')} tabIndex={0} className="max-h-[36rem] overflow-auto focus-visible:-outline-offset-2 print:max-h-none print:overflow-visible">
        <Table
          look="results"
          caption={t('rows')}
          columns={columns.map((column) => ({
            id: column.key,
            header: column.title,
            headClassName: 'border-y',
            render: (row: AnalyticsRow) => {
              const text = textOf(column, row);
              const to = linkTo(column, row);
              return to ? (
                <Link to={to} className="rounded-box text-accent hover:underline">
                  {text}
                </Link>
              ) : (
                text
              );
            },
            end: column.kind === 'measure',
          }))}
          rows={shown}
          rowKey={(_, index) => String(index)}
        />
      </div>
    </Panel>
  );
}
