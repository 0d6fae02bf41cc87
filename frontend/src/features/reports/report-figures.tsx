import { useCallback, useEffect, useMemo, useState } from 'react';
import { flushSync } from 'react-dom';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import {
  deliveriesAddress,
  DISPATCH,
  type DrillDown,
  filtersOfRow,
  withStatuses,
} from '@/domain/analytics/delivery-filters';
import { addsUp, countedStatuses, formatMeasure, isDrawable, isRate } from '@/domain/analytics/measures';
import { NO_VALUE, OTHERS, type Pivot, pivot } from '@/domain/analytics/pivot';
import { type AnalyticsRow, bucketKey, numberOf } from '@/domain/analytics/query';
import { formatCount } from '@/lib/numbers';
import { formatDateValues } from '@/list/date-values';
import { STATUS_ORDER } from '@/ui/charts/chart-data';
import { ChartPanel } from '@/ui/charts/chart-panel';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { Table, type TableColumn } from '@/ui/table';
import { orderOf, type ReportDefinition, type ShownColumn, shownColumns } from './definition';
import type { ReportTexts } from './report-texts';
import type { Report } from './use-report';

export const CHART_HEIGHT = 300;

interface ReportFiguresProps {
  page: Report;
  texts: ReportTexts;
  found: readonly AnalyticsRow[];
}

/** The rows of a report as a chart, if it can be drawn, and as a table, if the chart does not show all of them. */
export function ReportFigures({ page, texts, found }: ReportFiguresProps) {
  const { report, measure, filters, range } = page;
  const { t } = useTranslation('reports');
  const { granularity, dimensions, measures } = report;
  const drawn = granularity ? 1 : 2;
  const data = isDrawable(measure, dimensions, drawn) ? chartOf(page, texts, found, t('others')) : undefined;
  const leftOut = data?.leftOut ?? 0;
  const columns = useMemo(() => shownColumns(report, texts.titleOf), [report, texts]);
  const linkTo = useCallback(
    (column: ShownColumn, row: AnalyticsRow) =>
      column.kind === 'measure' ? rowAddress({ filters, range }, column.member, row, report) : undefined,
    [filters, range, report],
  );
  return (
    <>
      {leftOut > 0 && <Note tone="warn" title={t('notInChart', { count: leftOut, shown: formatCount(leftOut) })} />}
      {data && <ReportChart {...{ page, texts, data }} />}
      {(!data || leftOut > 0 || measures.length > 1 || dimensions.length > drawn || page.saved) && (
        <ReportRows {...{ columns, linkTo }} rows={found} textOf={texts.textOf} />
      )}
    </>
  );
}

/** The address of the deliveries counted in a row; undefined if the list cannot select exactly those. */
function rowAddress(
  { filters, range }: Pick<Report, 'filters' | 'range'>,
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

/** Returns the dimensions on the axis and of the series. Without a time, the axis has the first dimension. */
function axesOf({ granularity, dimensions: [first, second] }: ReportDefinition) {
  return granularity ? { axis: undefined, split: first } : { axis: first, split: second };
}

function chartOf({ report, range, measure }: Report, texts: ReportTexts, found: readonly AnalyticsRow[], others: string) {
  const { granularity, dimensions } = report;
  const { axis, split } = axesOf(report);
  return pivot({
    rows: found,
    measure,
    by: granularity ? { dimension: DISPATCH, granularity, range } : axis ? { dimension: axis } : undefined,
    split,
    order: STATUS_ORDER,
    additive: addsUp(measure, dimensions),
    sortedBy: orderOf(report)[0],
    labelOf: texts.labelOf,
    names: { measure: texts.titleOf(measure), others },
  });
}

function ReportChart({ page, texts, data }: Pick<ReportFiguresProps, 'page' | 'texts'> & { data: Pivot }) {
  const { report, range, timeZone, measure } = page;
  const { granularity, dimensions } = report;
  const { t } = useTranslation(['reports', 'report-settings']);
  const navigate = useNavigate();
  const { axis, split } = axesOf(report);
  const totals = addsUp(measure, dimensions);
  const title = texts.titleOf(measure);
  const heading = granularity ? t(`report-settings:granularities.${granularity}`) : axis ? texts.titleOf(axis) : '';

  /** Returns the link of a table cell. An undefined category or series means all of them. */
  function linkTo(category: string | undefined, series: string | undefined): string | undefined {
    if (category === OTHERS || series === OTHERS) return undefined;
    const some: string[] = [];
    const row: Record<string, string | null> = { [measure]: '1' };
    const plain = (id: string) => (id === NO_VALUE ? null : id);
    const of = category !== undefined && granularity ? granularity : undefined;
    if (category !== undefined && of) row[bucketKey({ dimension: DISPATCH, granularity: of })] = category;
    if (category !== undefined && axis) {
      row[axis] = plain(category);
      some.push(axis);
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
      // Totals of the first times only would look like those of all.
      totals={totals && data.leftOut === 0}
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

/** Maximum number of rows shown on screen. Paper and the download have all rows. */
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
  const isPrinting = usePrinting();
  const shown = useMemo(() => (isPrinting ? rows : rows.slice(0, MOST_ROWS)), [isPrinting, rows]);
  const tableColumns = useMemo(
    () =>
      columns.map((column): TableColumn<AnalyticsRow> => ({
        id: column.key,
        header: column.title,
        headClassName: 'border-y',
        render: (row) => {
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
      })),
    [columns, textOf, linkTo],
  );
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
          columns={tableColumns}
          rows={shown}
          rowKey={(_, index) => String(index)}
        />
      </div>
    </Panel>
  );
}

/** Whether the page is being printed. */
function usePrinting(): boolean {
  const [isPrinting, setPrinting] = useState(false);
  useEffect(() => {
    // The browser prints what is rendered when the event ends.
    const start = () => flushSync(() => setPrinting(true));
    const end = () => setPrinting(false);
    window.addEventListener('beforeprint', start);
    window.addEventListener('afterprint', end);
    return () => {
      window.removeEventListener('beforeprint', start);
      window.removeEventListener('afterprint', end);
    };
  }, []);
  return isPrinting;
}
