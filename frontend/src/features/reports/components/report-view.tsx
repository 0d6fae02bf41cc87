import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { formatBucket } from '@/analytics/buckets';
import { deliveriesAddress, DISPATCH, type DrillDown, filtersOfRow, withStatuses } from '@/analytics/delivery-filters';
import { AnalyticsFailure } from '@/analytics/failure';
import { addsUp, countedStatuses, formatMeasure, isRate } from '@/analytics/measures';
import { NO_VALUE, OTHERS, pivot } from '@/analytics/pivot';
import { type AnalyticsRow, bucketKey, numberOf } from '@/analytics/query';
import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { toCsv } from '@/lib/csv';
import { dayOf } from '@/lib/dates';
import { downloadText } from '@/lib/download-text';
import { formatDateValues } from '@/list/date-values';
import { StaleNote } from '@/list/stale-note';
import { ChartPanel, PlotSkeleton } from '@/ui/charts/chart-panel';
import { STATUS_ORDER } from '@/ui/charts/chart-data';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { ROW_LIMIT, type ShownColumn, shownColumns } from '../definition';
import type { SavedReport } from '../queries';
import { type Report, useReport } from '../use-report';
import { ReportMenu } from './report-menu';
import { ReportRows } from './report-rows';
import { ReportToolbar } from './report-toolbar';

const CHART_HEIGHT = 300;

export function ReportView({ saved }: { saved: SavedReport | undefined }) {
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

  return (
    <>
      <ReportMenu report={page} onCsv={found && found.length > 0 ? saveCsv : undefined} />
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

/** What members, values and figures are called. */
function useReportTexts({ report, members }: Report) {
  const { t } = useTranslation(['reports', 'common']);
  const titleOf = (member: string) =>
    report.columns.find((column) => column.member === member)?.label ||
    (members.find((entry) => entry.member === member)?.title ?? member);
  const labelOf = (member: string, value: string) => {
    if (value === NO_VALUE) return t(member === 'Driver.driverId' ? 'common:unassigned' : 'common:none');
    if (member === 'Delivery.deliverystatus') return t(`common:status.delivery.${value}`, { defaultValue: value });
    if (member === 'Shipment.shipmentstatus') return t(`common:status.shipment.${value}`, { defaultValue: value });
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
  // A rate of several groups is not the sum of theirs.
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

/** The deliveries that a measure of a row counts, where the list can show exactly these. */
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
  const { t } = useTranslation('reports');
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

  /** Where a cell of the table leads; a missing category or series stands for all of them. */
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
