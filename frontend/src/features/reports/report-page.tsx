import { useTranslation } from 'react-i18next';
import { useSearchParams } from 'react-router';
import { AnalyticsFailure } from '@/domain/analytics/failure';
import { normalizeError } from '@/data/errors';
import { QueryFailure, RecordState } from '@/data/query-state';
import { useRecord } from '@/data/use-record';
import { type AnalyticsRow, numberOf } from '@/domain/analytics/query';
import { toCsv } from '@/lib/csv';
import { dayOf, formatDateTime } from '@/lib/dates';
import { downloadBlob } from '@/lib/download-blob';
import { downloadText } from '@/lib/download-text';
import { StaleNote } from '@/list/stale-note';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { PlotSkeleton } from '@/ui/charts/chart-panel';
import { useMissingPartToast } from '@/ui/lazy-part';
import { Note } from '@/ui/note';
import { Panel } from '@/ui/panel';
import { StateView } from '@/ui/state-view';
import { COUNT, ROW_LIMIT, shownColumns } from './definition';
import { type SavedReport, savedReportQuery } from './queries';
import { CHART_HEIGHT, ReportFigures } from './report-figures';
import { type ReportTexts, useReportTexts } from './report-texts';
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

function ReportView({ saved }: { saved: SavedReport | undefined }) {
  const page = useReport(saved);
  const { rows, timeZone, failure, reread } = page;
  const { t } = useTranslation('reports');
  const texts = useReportTexts(page);
  const reportMissingPart = useMissingPartToast();
  const { readAt } = rows;
  const found = rows.results?.[0]?.data;
  /** Name of the saved file, without its extension. It contains the day on which the figures were read. */
  const fileName = `report-${dayOf(new Date(readAt ?? 0), timeZone)}`;

  function saveCsv() {
    if (!found) return;
    const columns = shownColumns(page.report, texts.titleOf);
    const lines = found.map((row) =>
      columns.map((column) => (column.kind === 'measure' ? String(row[column.key] ?? '') : texts.textInFile(column, row))),
    );
    downloadText(`${fileName}.csv`, toCsv([columns.map(({ title }) => title), ...lines]));
  }

  async function saveXlsx() {
    if (!found) return;
    const columns = shownColumns(page.report, texts.titleOf);
    const lines = found.map((row) =>
      columns.map((column) => (column.kind === 'measure' ? numberOf(row[column.key]) : texts.textInFile(column, row))),
    );
    const part = await import('@/lib/xlsx').catch(() => undefined);
    if (!part) {
      void reportMissingPart();
      return;
    }
    const book = await part.toXlsx(saved?.name ?? t('first'), [columns.map(({ title }) => title), ...lines]);
    downloadBlob(`${fileName}.xlsx`, book);
  }

  return (
    <>
      <ReportMenu
        report={page}
        files={found && found.length > 0 ? { csv: saveCsv, xlsx: () => void saveXlsx() } : undefined}
      />
      <p className="hidden text-title font-semibold print:block">{saved?.name ?? t('first')}</p>
      <ReportToolbar report={page} />
      {readAt !== undefined && (
        <p className="-my-1 text-xs text-muted tabular-nums">
          {t('asOf', { time: formatDateTime(readAt, timeZone) })}
        </p>
      )}
      {rows.isStale && readAt !== undefined && (
        <StaleNote since={readAt} timeZone={timeZone} onRetry={rows.retry} />
      )}
      {found && found.length >= ROW_LIMIT && <Note tone="warn" title={t('limited', { limit: ROW_LIMIT })} />}
      <ReportBody {...{ page, texts, found, failure, reread }} />
    </>
  );
}

interface BodyProps {
  page: Report;
  texts: ReportTexts;
  found: readonly AnalyticsRow[] | undefined;
  failure: unknown;
  reread: () => void;
}

function ReportBody({ page, texts, found, failure, reread }: BodyProps) {
  const { rows, report } = page;
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
  // Other figures may all be 0 for deliveries that match.
  if (found.every((row) => report.measures.includes(COUNT) && !numberOf(row[COUNT]))) {
    return (
      <Panel>
        <StateView kind="no-match" title={t('empty.title')} text={t('empty.text')} />
      </Panel>
    );
  }
  return <ReportFigures {...{ page, texts, found }} />;
}
