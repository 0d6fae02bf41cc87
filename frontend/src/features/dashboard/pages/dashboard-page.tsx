import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { useQuery } from 'urql';
import { bucketsOf } from '@/analytics/buckets';
import { POLL_MS } from '@/analytics/client';
import { AnalyticsFailure } from '@/analytics/failure';
import { pivot } from '@/analytics/pivot';
import { useAnalytics } from '@/analytics/use-analytics';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDate, formatTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { formatDateValues } from '@/list/date-values';
import { StaleNote } from '@/list/stale-note';
import { useNow } from '@/list/use-now';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { ChartPanel, PlotSkeleton } from '@/ui/charts/chart-panel';
import { STATUS_ORDER, totalOf } from '@/ui/charts/chart-data';
import { Button } from '@/ui/button';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import { ComparisonPanel } from '../components/comparison-panel';
import { LatePanel } from '../components/late-panel';
import { ReasonsPanel } from '../components/reasons-panel';
import { TodayFigures } from '../components/today-figures';
import {
  COUNT,
  dashboardQueries,
  daysAddress,
  failureReasons,
  type Figures,
  figuresOf,
  type Periods,
  periodsOf,
  STATUS,
} from '../figures';
import { reasonLabelsQuery } from '../queries';
import { attentionFilters, useAttention } from '../use-attention';

const CHART_HEIGHT = 320;

export default function DashboardPage() {
  const { t } = useTranslation(['dashboard', 'common']);
  const timeZone = useTimeZone();
  // Of filters that depend on the time, so it moves on by the minute.
  const now = useNow(attentionFilters.late);
  const day = periodsOf(now, timeZone).today;
  // Of one day all is asked for in the same words, which the server answers from memory.
  // oxlint-disable-next-line react/exhaustive-deps -- `now` moves by the minute, the periods by the day
  const periods = useMemo(() => periodsOf(now, timeZone), [day, timeZone]);
  const queries = useMemo(() => dashboardQueries(periods, timeZone), [periods, timeZone]);
  const analytics = useAnalytics(queries, { every: POLL_MS });
  const { results, error } = analytics;
  const figures = useMemo(() => results && figuresOf(results, periods), [results, periods]);
  const attention = useAttention(timeZone, now);

  return (
    <PageFrame className="gap-4">
      <p className="-mb-1 text-xs text-muted tabular-nums" role="status">
        {analytics.readAt === undefined
          ? t('common:loading')
          : t('asOf', { day: formatDate(now, timeZone), time: formatTime(analytics.readAt, timeZone) })}
      </p>
      {analytics.isStale && analytics.readAt !== undefined && (
        <StaleNote since={analytics.readAt} timeZone={timeZone} onRetry={analytics.retry} />
      )}
      {attention.error !== undefined && !attention.counts && (
        <Note
          tone="warn"
          role="status"
          title={t('attention.failed', { error: normalizeError(attention.error).message })}
          action={
            <Button size={28} onClick={attention.retry}>
              {t('common:retry')}
            </Button>
          }
        />
      )}
      {error !== undefined && !figures ? (
        <Panel className="flex min-h-64 flex-col">
          <AnalyticsFailure error={error} isRetrying={analytics.status === 'refetch'} onRetry={analytics.retry} />
        </Panel>
      ) : (
        <TodayFigures {...{ figures, periods }} counts={attention.counts} />
      )}
      {(figures || error === undefined) && (
        <div className="grid grid-cols-1 gap-4 xl:grid-cols-[minmax(0,2fr)_minmax(0,1fr)]">
          {figures ? <WeekChart {...{ figures, periods, timeZone }} /> : <LoadingPanel title={t('week.title')} />}
          {figures ? <Reasons {...{ figures, periods }} /> : <LoadingPanel title={t('reasons.title')} />}
        </div>
      )}
      <div className="grid grid-cols-1 items-start gap-4 xl:grid-cols-2">
        {figures && <ComparisonPanel {...{ figures, periods, timeZone }} />}
        {attention.late && <LatePanel {...{ now, timeZone }} late={attention.late} count={attention.counts?.late} />}
      </div>
    </PageFrame>
  );
}

function LoadingPanel({ title }: { title: string }) {
  return (
    <Panel aria-busy>
      <PanelHead title={title} />
      <PlotSkeleton height={CHART_HEIGHT} />
    </Panel>
  );
}

interface PartProps {
  figures: Figures;
  periods: Periods;
}

function WeekChart({ figures, periods, timeZone }: PartProps & { timeZone: string }) {
  const { t } = useTranslation(['dashboard', 'common']);
  const navigate = useNavigate();
  const { week, before } = periods;
  const data = useMemo(
    () =>
      pivot({
        rows: figures.weekRows,
        measure: COUNT,
        by: { dimension: 'Delivery.scheduledatetime', granularity: 'day', range: week },
        split: STATUS,
        order: STATUS_ORDER,
        labelOf: (_, status) => t(`common:status.delivery.${status}`, { defaultValue: status }),
        names: { measure: t('deliveries'), others: '' },
      }),
    [figures, week, t],
  );
  const total = totalOf(data);
  const range = formatDateValues([week.from, week.to], timeZone);
  if (total === 0) {
    return (
      <Panel>
        <PanelHead title={t('week.title')} note={range} />
        <div className="flex flex-col items-start gap-3 px-4 pt-2 pb-6 text-sm text-muted">
          <p>{t('week.none')}</p>
          <Button asChild>
            <Link to={routes.deliveries()}>{t('week.open')}</Link>
          </Button>
        </div>
      </Panel>
    );
  }
  const days = bucketsOf(week, 'day') ?? [];
  const linkTo = (category: string | undefined, status: string | undefined) => {
    const picked = category?.slice(0, 10);
    return daysAddress(picked ? { from: picked, to: picked } : week, ...(status ? [status] : []));
  };
  return (
    <ChartPanel
      kind="stacked"
      data={data}
      title={t('week.title')}
      note={range}
      heading={t('week.day')}
      totals
      height={CHART_HEIGHT}
      format={formatCount}
      summary={t('week.summary', {
        days: days.length,
        shown: formatCount(total),
        before: formatCount(figures.countOf(before)),
      })}
      linkTo={linkTo}
      onPick={(category, status) => void navigate(linkTo(category, status))}
    />
  );
}

const reasonsContext = { additionalTypenames: ['Reason'] };

function Reasons({ figures, periods }: PartProps) {
  const [{ data }] = useQuery({ query: reasonLabelsQuery, requestPolicy: 'cache-first', context: reasonsContext });
  const reasons = useMemo(() => {
    const all = data?.reasons ?? [];
    return failureReasons(figures.failures, (code, status) => {
      const applies = status === 'Rejected' ? 'rejected' : 'undelivered';
      return all.find((reason) => reason.code === code && reason.appliesTo === applies)?.label ?? code;
    });
  }, [figures, data]);
  return <ReasonsPanel {...{ figures, reasons, periods }} />;
}
