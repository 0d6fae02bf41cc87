import { useMemo } from 'react';
import { useTranslation } from 'react-i18next';
import { Link, useNavigate } from 'react-router';
import { bucketsOf } from '@/domain/analytics/buckets';
import { POLL_MS } from '@/domain/analytics/client';
import { AnalyticsFailure } from '@/domain/analytics/failure';
import { pivot } from '@/domain/analytics/pivot';
import { useAuth } from '@/auth/use-auth';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { useAnalytics } from '@/domain/analytics/use-analytics';
import { useOutcomeReasonLabel } from '@/domain/lookups/outcome-reasons';
import { useNameOf } from '@/i18n/texts';
import { type DayRange, formatDate, formatTime } from '@/lib/dates';
import { formatCount, percent } from '@/lib/numbers';
import { formatDateValues } from '@/list/date-values';
import { StaleNote } from '@/list/stale-note';
import { useCurrentMinute } from '@/list/use-current-minute';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { useDeadLetterCount } from '@/shell/use-dead-letter-count';
import { Button } from '@/ui/button';
import { type SeriesLook, seriesLook, STATUS_ORDER, totalOf } from '@/ui/charts/chart-data';
import { ChartPanel, PlotSkeleton } from '@/ui/charts/chart-panel';
import { FillPattern, Swatch } from '@/ui/charts/patterns';
import { Note } from '@/ui/note';
import { Panel, PanelHead } from '@/ui/panel';
import type { DeliveryStatus } from '@/ui/status-chip';
import { Table } from '@/ui/table';
import {
  COUNT,
  dashboardQueries,
  daysAddress,
  FAILED,
  type FailureReason,
  failureReasons,
  type Figures,
  figuresOf,
  formatChange,
  formatPercent,
  formatPoints,
  type Periods,
  periodsOf,
  reasonAddress,
  STATUS,
} from './figures';
import { attentionFilters, LatePanel, useAttention } from './late-panel';
import { TodayFigures } from './today-figures';

const CHART_HEIGHT = 320;

export default function DashboardPage() {
  const { t } = useTranslation(['dashboard', 'common']);
  const timeZone = useTimeZone();
  // Some filters depend on the current time, so `now` advances each minute.
  const now = useCurrentMinute(attentionFilters.late);
  const day = periodsOf(now, timeZone).today;
  // All queries of one day are identical, so the server answers them from its cache.
  // oxlint-disable-next-line react/exhaustive-deps -- `now` moves by the minute, the periods by the day
  const periods = useMemo(() => periodsOf(now, timeZone), [day, timeZone]);
  const queries = useMemo(() => dashboardQueries(periods, timeZone), [periods, timeZone]);
  const analytics = useAnalytics(queries, { every: POLL_MS });
  const { results, error } = analytics;
  const figures = useMemo(() => results && figuresOf(results, periods), [results, periods]);
  const attention = useAttention(timeZone, now);
  const staleSince = [analytics.isStale && analytics.readAt, attention.error !== undefined && attention.readAt].filter(
    (at) => typeof at === 'number',
  );
  const toFix = useDeadLetterCount(useAuth().hasRole('admin'));

  function retry() {
    analytics.retry();
    attention.retry();
  }

  return (
    <PageFrame className="gap-4">
      <p className="-mb-1 text-xs text-muted tabular-nums" role="status">
        {analytics.readAt === undefined
          ? t('common:loading')
          : t('asOf', { day: formatDate(now, timeZone), time: formatTime(analytics.readAt, timeZone) })}
      </p>
      {staleSince.length > 0 && (
        <StaleNote since={Math.min(...staleSince)} timeZone={timeZone} onRetry={retry} />
      )}
      {attention.error !== undefined && attention.readAt === undefined && (
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
      {toFix !== undefined && (
        <Note
          tone="warn"
          title={t('deadLetters', { shown: toFix })}
          action={
            <Link className="font-medium underline" to={routes.deadLetters()}>
              {t('deadLettersOpen')}
            </Link>
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
  const nameOf = useNameOf();
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
        labelOf: (_, status) => nameOf('common:status.delivery', status),
        names: { measure: t('deliveries'), others: '' },
      }),
    [figures, week, nameOf, t],
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

function Reasons({ figures, periods }: PartProps) {
  const labelOf = useOutcomeReasonLabel();
  const reasons = useMemo(() => failureReasons(figures.failures, labelOf), [figures, labelOf]);
  return <ReasonsPanel {...{ figures, reasons, periods }} />;
}

interface ComparisonPanelProps {
  figures: Figures;
  periods: Periods;
  timeZone: string;
}

const RATES = ['onTime', 'firstAttempt'] as const;

/** Compares the last seven days with the seven days before. */
function ComparisonPanel({ figures, periods, timeZone }: ComparisonPanelProps) {
  const { t } = useTranslation(['dashboard', 'common']);
  const { week, before } = periods;
  const columns = [
    { id: 'week', range: week },
    { id: 'before', range: before },
  ] as const;
  const figure = (range: DayRange, status: DeliveryStatus | undefined) => {
    const count = figures.countOf(range, status);
    return (
      <Link to={daysAddress(range, ...(status ? [status] : []))} className="rounded-box text-accent hover:underline">
        {formatCount(count)}
      </Link>
    );
  };
  const counts = [undefined, ...STATUS_ORDER].map((status) => ({
    name: status ? t(`common:status.delivery.${status}`) : t('deliveries'),
    week: figure(week, status),
    before: figure(before, status),
    change: formatChange(figures.countOf(week, status), figures.countOf(before, status)),
  }));
  const rates = RATES.map((rate) => ({
    name: t(rate),
    week: formatPercent(figures.rates.week[rate]),
    before: formatPercent(figures.rates.before[rate]),
    change: formatPoints(figures.rates.week[rate], figures.rates.before[rate]),
  }));
  return (
    <Panel aria-labelledby="comparison" className="overflow-hidden">
      <PanelHead id="comparison" title={t('comparison.title')} />
      <div className="overflow-x-auto">
        <Table
          look="panel"
          caption={t('comparison.title')}
          columns={[
            { id: 'figure', header: t('comparison.figure'), render: ({ name }) => name, names: true },
            ...columns.map(({ id, range }) => ({
              id,
              header: t(`comparison.${id}`),
              headTip: formatDateValues([range.from, range.to], timeZone),
              render: (row: (typeof counts)[number] | (typeof rates)[number]) => row[id],
              end: true,
            })),
            { id: 'change', header: t('comparison.change'), render: ({ change }) => change, end: true },
          ]}
          rows={[...counts, ...rates]}
          rowKey={({ name }) => name}
        />
      </div>
    </Panel>
  );
}

const MOST = 7;
const BOTH: SeriesLook = { color: 'idle', fill: 'solid' };

const lookOf = (statuses: readonly string[]): SeriesLook =>
  statuses.length > 1 ? BOTH : seriesLook(statuses[0] ?? '', 0, 2);

interface ReasonsPanelProps {
  figures: Figures;
  reasons: readonly FailureReason[];
  periods: Periods;
  className?: string;
}

/** Reasons for failed deliveries in the last seven days, most frequent first. */
function ReasonsPanel({ figures, reasons, periods: { week }, className }: ReasonsPanelProps) {
  const { t } = useTranslation(['dashboard', 'common']);
  const failed = FAILED.reduce((sum, status) => sum + figures.countOf(week, status), 0);
  const shown = reasons.slice(0, MOST);
  const rest = reasons.slice(MOST).reduce((sum, { count }) => sum + count, 0);
  const most = Math.max(1, ...shown.map(({ count }) => count));
  return (
    <Panel aria-labelledby="reasons" className={className}>
      <PanelHead
        id="reasons"
        title={t('reasons.title')}
        note={
          <Link to={daysAddress(week, ...FAILED)} className="rounded-box text-accent hover:underline">
            {t('reasons.failed', { count: failed, shown: formatCount(failed) })}
          </Link>
        }
      />
      {shown.length === 0 ? (
        <p className="px-4 pt-2 pb-6 text-sm text-muted">{t('reasons.none')}</p>
      ) : (
        <>
          <ul className="flex flex-col gap-3 px-4 pt-1 pb-3">
            {shown.map(({ code, label, count, statuses }, index) => (
              <li key={code}>
                <Link to={reasonAddress(week, code, label, statuses)} className="group block rounded-box text-sm">
                  <span className="flex items-baseline gap-3">
                    <span className="min-w-0 flex-1 truncate group-hover:underline">{label}</span>
                    <span className="font-semibold tabular-nums">{formatCount(count)}</span>
                    <span className="w-9 text-end text-xs text-muted tabular-nums">{percent(count, failed)}%</span>
                  </span>
                  <ReasonBar id={`reason-${index}`} share={count / most} look={lookOf(statuses)} />
                </Link>
              </li>
            ))}
          </ul>
          {rest > 0 && (
            <p className="px-4 pb-3 text-xs text-muted">{t('reasons.others', { count: rest, shown: formatCount(rest) })}</p>
          )}
          <ul className="flex flex-wrap gap-x-4 gap-y-1 px-4 pb-4 text-xs">
            {FAILED.map((status) => (
              <li key={status} className="flex items-center gap-1.5">
                <Swatch id={`reason-key-${status}`} look={lookOf([status])} />
                {t(`common:status.delivery.${status}`)}
              </li>
            ))}
            {shown.some(({ statuses }) => statuses.length > 1) && (
              <li className="flex items-center gap-1.5">
                <Swatch id="reason-key-both" look={BOTH} />
                {t('reasons.both')}
              </li>
            )}
          </ul>
        </>
      )}
    </Panel>
  );
}

function ReasonBar({ id, share, look }: { id: string; share: number; look: SeriesLook }) {
  return (
    <span aria-hidden className="mt-1 block h-1.5 overflow-hidden rounded-full bg-hover">
      <svg width="100%" height="6" className="block">
        <defs>
          <FillPattern id={id} look={look} />
        </defs>
        <rect width={`${Math.max(1, share * 100)}%`} height="6" rx="3" fill={`url(#${id})`} />
      </svg>
    </span>
  );
}
