import {
  ArrowUpRight,
  CircleCheck,
  Clock,
  type LucideIcon,
  RefreshCcwDot,
  Target,
  TriangleAlert,
  UserX,
} from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { deliveriesAddress, equalsFilter } from '@/domain/analytics/delivery-filters';
import { COMPLETE } from '@/domain/analytics/measures';
import { addDays, type DayRange } from '@/lib/dates';
import { formatCount, formatListCount } from '@/lib/numbers';
import type { Filter } from '@/list/filters-codec';
import { colorValue, seriesLook } from '@/ui/charts/chart-data';
import { Spark } from '@/ui/charts/spark';
import { Skeleton } from '@/ui/skeleton';
import { type DeliveryStatus, statusLook } from '@/ui/status-chip';
import type { Tone } from '@/ui/tag';
import {
  daysAddress,
  type Figures,
  formatPercent,
  formatShare,
  type Periods,
  processedAddress,
  processedOf,
} from './figures';
import { type Attention, ATTENTION, type AttentionCounts, attentionFilters } from './late-panel';

const STATUSES: readonly DeliveryStatus[] = [
  'Pending',
  'Complete_No_Variance',
  'Complete_With_Variance',
  'Undelivered',
  'Rejected',
];

/** Uses the preset instead of a date, so that the link opens the list's Today view. */
const TODAY: Filter = { key: 'dateRange', operator: 'inDateRange', values: [{ label: 'today', value: 'today' }] };

const attentionLooks: Record<Attention, { icon: LucideIcon; tone: Tone }> = {
  late: { icon: Clock, tone: 'bad' },
  unassigned: { icon: UserX, tone: 'warn' },
  conflicts: { icon: TriangleAlert, tone: 'warn' },
};

interface TodayFiguresProps {
  figures: Figures | undefined;
  periods: Periods;
  counts: AttentionCounts | undefined;
}

export function TodayFigures({ figures, periods, counts }: TodayFiguresProps) {
  const { t } = useTranslation(['dashboard', 'common', 'deliveries']);
  const today: DayRange = { from: periods.today, to: periods.today };
  const days = Array.from({ length: 7 }, (_, index) => addDays(periods.week.from, index));
  const trend = (status?: DeliveryStatus) =>
    figures && days.map((day) => figures.countOf({ from: day, to: day }, status));
  const all = figures?.countOf(today);
  const processed = figures && processedOf(figures, today);
  // Only completed deliveries can be on time or late.
  const complete = figures && COMPLETE.reduce((sum, status) => sum + figures.countOf(today, status), 0);
  const lastWeek = addDays(periods.today, -7);
  const before = figures?.countOf({ from: lastWeek, to: lastWeek });
  const noteOf = (status: DeliveryStatus, count: number) =>
    status === 'Pending'
      ? t('share.today', { share: formatShare(count, all ?? 0) })
      : t('share.processed', { share: formatShare(count, processed ?? 0) });

  const noteOfAttention = (id: Attention) => {
    const drivers = counts?.lateDrivers;
    if (id !== 'late' || !drivers) return t(`attention.${id}`);
    return t('attention.lateDrivers', { count: drivers.total, shown: formatListCount(drivers) });
  };

  return (
    <section aria-label={t('today')} className="grid grid-cols-2 gap-3 md:grid-cols-3 xl:grid-cols-6">
      <FigureCard
        label={t('dispatched')}
        value={all === undefined ? undefined : formatCount(all)}
        note={all === undefined || before === undefined ? undefined : t('sinceLastWeek', { change: signed(all - before), day: weekdayOf(lastWeek) })}
        to={deliveriesAddress([TODAY])}
        trend={trend()}
      />
      {STATUSES.map((status) => {
        const count = figures?.countOf(today, status);
        const { icon, tone } = statusLook({ kind: 'delivery', status });
        return (
          <FigureCard
            key={status}
            {...{ icon, tone }}
            label={t(`common:status.delivery.${status}`)}
            value={count === undefined ? undefined : formatCount(count)}
            note={count === undefined ? undefined : noteOf(status, count)}
            to={deliveriesAddress([TODAY, equalsFilter('deliverystatus', status)])}
            trend={trend(status)}
            trendColor={colorValue(seriesLook(status, 0, 1).color)}
          />
        );
      })}
      <FigureCard
        label={t('onTime')}
        icon={Target}
        tone="ok"
        value={figures && formatPercent(figures.rates.today.onTime)}
        note={complete === undefined ? undefined : t('ofComplete', { count: complete, shown: formatCount(complete) })}
        to={daysAddress(today, ...COMPLETE)}
      />
      <FigureCard
        label={t('firstAttempt')}
        icon={CircleCheck}
        tone="ok"
        value={figures && formatPercent(figures.rates.today.firstAttempt)}
        note={processed === undefined ? undefined : t('ofProcessed', { count: processed, shown: formatCount(processed) })}
        to={processedAddress(today)}
      />
      <FigureCard
        label={t('openVariances')}
        icon={RefreshCcwDot}
        tone="warn"
        value={figures && formatCount(figures.countOf(periods.week, 'Complete_With_Variance'))}
        note={t('openVariancesNote')}
        to={daysAddress(periods.week, 'Complete_With_Variance')}
      />
      {ATTENTION.map((id) => {
        const count = counts?.[id];
        return (
          <FigureCard
            key={id}
            {...attentionLooks[id]}
            label={t(`deliveries:views.${id}`)}
            value={count && formatListCount(count)}
            note={noteOfAttention(id)}
            to={deliveriesAddress(attentionFilters[id])}
          />
        );
      })}
    </section>
  );
}

const weekday = new Intl.DateTimeFormat('en-US', { timeZone: 'UTC', weekday: 'long' });

function weekdayOf(day: string): string {
  return weekday.format(new Date(`${day}T00:00:00Z`));
}

function signed(change: number): string {
  return change > 0 ? `+${formatCount(change)}` : formatCount(change).replace('-', '−');
}

interface FigureCardProps {
  label: string;
  icon?: LucideIcon | undefined;
  tone?: Tone | undefined;
  /** The formatted figure; undefined until it is loaded. */
  value: string | undefined;
  /** The text below the figure, such as a comparison. */
  note?: string | undefined;
  to: string;
  /** Values of the last days, oldest first. */
  trend?: readonly number[] | undefined;
  trendColor?: string;
}

const iconTone: Record<Tone, string> = {
  ok: 'text-ok',
  warn: 'text-warn',
  bad: 'text-bad',
  info: 'text-info',
  idle: 'text-idle',
  accent: 'text-accent',
};

/** One figure, linked to the deliveries it counts. */
function FigureCard(props: FigureCardProps) {
  const { label, icon: Icon, tone = 'idle', value, note, to, trend, trendColor = 'var(--chart-accent)' } = props;
  return (
    <Link
      to={to}
      className="group flex min-w-0 flex-col rounded-panel border border-line bg-surface px-3 py-2.5 transition-colors duration-120 ease-out hover:border-accent-line hover:bg-raised print:break-inside-avoid"
    >
      <span className="flex items-start gap-1.5 text-xs text-muted">
        {Icon && <Icon aria-hidden className={`mt-px size-3.5 shrink-0 ${iconTone[tone]}`} />}
        <span className="min-w-0">{label}</span>
      </span>
      <span className="mt-auto flex h-9 items-center justify-between gap-2">
        {value === undefined ? (
          <Skeleton className="h-6 w-14" />
        ) : (
          <span className="text-kpi font-semibold">{value}</span>
        )}
        {trend && <Spark values={trend} color={trendColor} className="shrink-0 max-sm:hidden" />}
      </span>
      <span className="flex items-center justify-between gap-2 text-xs text-muted">
        <span className="min-w-0">{note ?? '\u00a0'}</span>
        <ArrowUpRight aria-hidden className="size-3.5 shrink-0 text-accent" />
      </span>
    </Link>
  );
}
