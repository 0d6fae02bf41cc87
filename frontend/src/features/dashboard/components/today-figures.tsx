import { CircleCheck, Clock, RefreshCcwDot, TriangleAlert, UserX, type LucideIcon, Target } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { deliveriesAddress, equalsFilter } from '@/analytics/delivery-filters';
import { addDays, type DayRange } from '@/lib/dates';
import type { Filter } from '@/list/filters-codec';
import type { ListCount } from '@/list/resource';
import { formatCount } from '@/lib/numbers';
import { colorValue, seriesLook } from '@/ui/charts/chart-data';
import { type DeliveryStatus, statusLook } from '@/ui/statuses';
import type { Tone } from '@/ui/tones';
import { daysAddress, type Figures, type Periods, processedAddress, processedOf } from '../figures';
import { formatPercent, formatShare } from '../format';
import { type Attention, attentionFilters, ATTENTION } from '../use-attention';
import { FigureCard } from './figure-card';

const STATUSES: readonly DeliveryStatus[] = [
  'Pending',
  'Complete_No_Variance',
  'Complete_With_Variance',
  'Undelivered',
  'Rejected',
];

/** A preset, so that the list it opens is its own view of today. */
const TODAY: Filter = { key: 'dateRange', operator: 'inDateRange', values: [{ label: 'today', value: 'today' }] };

const attentionLooks: Record<Attention, { icon: LucideIcon; tone: Tone }> = {
  late: { icon: Clock, tone: 'bad' },
  unassigned: { icon: UserX, tone: 'warn' },
  conflicts: { icon: TriangleAlert, tone: 'warn' },
};

interface TodayFiguresProps {
  figures: Figures | undefined;
  periods: Periods;
  counts: Record<Attention, ListCount> | undefined;
}

export function TodayFigures({ figures, periods, counts }: TodayFiguresProps) {
  const { t } = useTranslation(['dashboard', 'common', 'deliveries']);
  const today: DayRange = { from: periods.today, to: periods.today };
  const days = Array.from({ length: 7 }, (_, index) => addDays(periods.week.from, index));
  const trend = (status?: DeliveryStatus) =>
    figures && days.map((day) => figures.countOf({ from: day, to: day }, status));
  const all = figures?.countOf(today);
  const processed = figures && processedOf(figures, today);
  const lastWeek = addDays(periods.today, -7);
  const before = figures?.countOf({ from: lastWeek, to: lastWeek });
  const noteOf = (status: DeliveryStatus, count: number) =>
    status === 'Pending'
      ? t('share.today', { share: formatShare(count, all ?? 0) })
      : t('share.processed', { share: formatShare(count, processed ?? 0) });

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
        note={processed === undefined ? undefined : t('ofProcessed', { count: processed, shown: formatCount(processed) })}
        to={processedAddress(today)}
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
            value={count && `${formatCount(count.total)}${count.exact ? '' : '+'}`}
            note={t(`attention.${id}`)}
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
