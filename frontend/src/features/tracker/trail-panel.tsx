import { ChevronLeft, ChevronRight, Phone } from 'lucide-react';
import { useRef } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { addDays, type Day, formatDay, formatElapsed, formatTime, isDay } from '@/lib/dates';
import { formatDistance } from '@/lib/geo';
import { formatCount } from '@/lib/numbers';
import { phoneAddress } from '@/lib/phone';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { StatusChip, statusLook } from '@/ui/status-chip';
import { softTone, Tag } from '@/ui/tag';
import { CardDelivery, type useDriverCard } from './driver-card';
import { DriverDisc } from './driver-state';
import type { TrailDelivery } from './queries';
import { customerAt, type Stop, type Totals, type Visits, worstStatus } from './trail/points';
import type { TrailDeliveries, TrailResult } from './trail/use-trail';

interface TrailPanelProps {
  card: ReturnType<typeof useDriverCard>;
  result: TrailResult;
  /** The deliveries of the day, which `visits` assigns to stops. */
  dayDeliveries: TrailDeliveries;
  totals: Totals;
  stops: readonly Stop[];
  visits: Visits;
  day: string;
  today: string;
  onDay: (day: string) => void;
  selected: number | undefined;
  onSelect: (stop: Stop) => void;
  className?: string;
}

const whole = (milliseconds: number) => formatElapsed(Math.floor(milliseconds / 60_000) * 60_000);

/** Summary of a day: distance, times, stops and deliveries. */
export function TrailPanel(props: TrailPanelProps) {
  const { card, result, dayDeliveries, totals, stops, visits, day, today, onDay, selected, onSelect, className } = props;
  const { t } = useTranslation(['tracker', 'common']);
  const { driver, progress, current, next } = card;
  const { trail, status, read, isCut } = result;
  const hasFailed = status === 'failed' || dayDeliveries.hasFailed || card.hasFailed;
  function retry() {
    if (status === 'failed') result.retry();
    if (dayDeliveries.hasFailed) dayDeliveries.retry();
    if (card.hasFailed) card.retry();
  }
  const about = [driver?.driverId, driver?.vehiclePlate, driver?.trucker].filter(Boolean).join(' · ');
  const facts = [
    { name: 'distance' as const, value: formatDistance(totals.distanceM) },
    { name: 'driving' as const, value: whole(totals.drivingMs) },
    { name: 'stopped' as const, value: whole(totals.stoppedMs) },
    { name: 'deliveries' as const, value: progress && t('progress', { done: progress.done, total: progress.total }) },
  ];
  return (
    <section aria-label={t('trail.panel')} className={cn('flex min-h-0 flex-col bg-surface', className)}>
      <div className="flex items-center gap-3 p-4">
        <DriverDisc name={driver?.name ?? ''} state="stop" />
        <div className="min-w-0 flex-1">
          <h2 className="flex items-center gap-2 text-base font-semibold">
            <span data-tip-cut className="truncate">{driver?.name ?? t('common:loading')}</span>
            {driver?.status === 'blocked' && <Tag tone="bad">{t('blocked')}</Tag>}
          </h2>
          <p data-tip-cut className="truncate text-xs text-muted">{about}</p>
        </div>
        {driver?.phone && phoneAddress(driver.phone) && (
          <Button asChild icon={Phone}>
            <a href={phoneAddress(driver.phone)}>{t('call')}</a>
          </Button>
        )}
      </div>
      <dl className="grid grid-cols-4 border-y border-line">
        {facts.map(({ name, value }) => (
          <div key={name} className="border-s border-line px-3 py-2 first:border-s-0 first:ps-4">
            <dt className="text-xs text-muted">{t(`trail.totals.${name}`)}</dt>
            <dd className="text-sm font-medium whitespace-nowrap tabular-nums">{value ?? '-'}</dd>
          </div>
        ))}
      </dl>
      <div className="flex min-h-12 items-center justify-between gap-2 px-4">
        <h3 className="text-base font-semibold">{t('trail.stops')}</h3>
        <DayPicker value={day} today={today} onChange={onDay} />
      </div>
      <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto pb-4">
        {status === 'reading' && (
          <div className="px-4" role="status">
            <ProgressBar label={t('common:loading')} thin />
            <p className="mt-1 text-xs text-muted tabular-nums">{t('trail.reading', { count: read, shown: formatCount(read) })}</p>
          </div>
        )}
        {hasFailed && (
          <div className="px-4">
            <Note
              tone="warn"
              role="alert"
              title={t(status === 'failed' ? 'trail.stale' : 'trail.staleDeliveries')}
              action={
                <Button size={28} onClick={retry}>
                  {t('common:retry')}
                </Button>
              }
            />
          </div>
        )}
        {isCut && (
          <div className="px-4">
            <Note tone="warn" title={t('trail.tooMany', { count: read, shown: formatCount(read) })} />
          </div>
        )}
        {day === today && (current || next) && (
          <ul className="flex flex-col gap-2 px-4 pb-1">
            {current && <CardDelivery label={t('trail.current')} delivery={current} />}
            {next && <CardDelivery label={t('trail.next')} delivery={next} />}
          </ul>
        )}
        {(status === 'ready' || stops.length > 0) && <StopList {...{ stops, visits, selected, onSelect }} />}
        <div className="px-4">
          <FlaggedNote flagged={trail.flagged} />
        </div>
      </div>
    </section>
  );
}

interface DayPickerProps {
  value: Day;
  /** The latest selectable day. */
  today: Day;
  onChange: (day: Day) => void;
}

/** Selects a day: previous, next, or from the browser's calendar. */
function DayPicker({ value, today, onChange }: DayPickerProps) {
  const { t } = useTranslation('tracker');
  const picker = useRef<HTMLInputElement>(null);
  return (
    <div role="group" aria-label={t('trail.day')} className="flex items-center gap-1">
      <IconButton
        icon={ChevronLeft}
        size={28}
        label={t('trail.previousDay')}
        onClick={() => onChange(addDays(value, -1))}
      />
      <span className="relative">
        <button
          type="button"
          onClick={() => picker.current?.showPicker()}
          className="hit-target rounded-control px-1 text-sm font-medium tabular-nums hover:bg-raised"
        >
          {formatDay(value)}
        </button>
        <input
          ref={picker}
          type="date"
          aria-label={t('trail.day')}
          tabIndex={-1}
          value={value}
          max={today}
          onChange={({ target }) => isDay(target.value) && onChange(target.value)}
          className="pointer-events-none absolute inset-x-0 bottom-0 h-7 w-px opacity-0 pointer-coarse:text-touch"
        />
      </span>
      <IconButton
        icon={ChevronRight}
        size={28}
        label={t('trail.nextDay')}
        disabled={value >= today}
        onClick={() => onChange(addDays(value, 1))}
      />
    </div>
  );
}

const KNOWN = ['accuracy', 'max_speed', 'duplicate', 'future_time', 'zero_island'] as const;

/** Number of positions left out of the line, by reason. */
function FlaggedNote({ flagged }: { flagged: Readonly<Record<string, number>> }) {
  const { t } = useTranslation('tracker');
  const total = Object.values(flagged).reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  return (
    <Note tone="info" title={t('trail.flagged', { count: total, shown: formatCount(total) })}>
      <ul>
        {Object.entries(flagged).map(([reason, count]) => (
          <li key={reason}>
            {t(`trail.reason.${KNOWN.find((own) => own === reason) ?? 'other'}`, { shown: formatCount(count) })}
          </li>
        ))}
      </ul>
    </Note>
  );
}

interface StopListProps {
  stops: readonly Stop[];
  visits: Visits;
  /** Number of the selected stop. */
  selected: number | undefined;
  onSelect: (stop: Stop) => void;
}

/** Stops with the deliveries made there, then the remaining deliveries. */
function StopList({ stops, visits, selected, onSelect }: StopListProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const { byStop, elsewhere, open } = visits;
  return (
    <>
      {stops.length === 0 ? (
        <p className="px-4 py-2 text-sm text-muted">{t('trail.noStops')}</p>
      ) : (
        <ol className="flex flex-col px-2">
          {stops.map((stop) => {
            const deliveries = byStop.get(stop.number) ?? [];
            const status = worstStatus(deliveries);
            const tone = status ? statusLook({ kind: 'delivery', status }).tone : 'idle';
            const customer = customerAt(stop, visits);
            return (
              <li
                key={stop.number}
                className={cn('rounded-control px-2 py-1.5', stop.number === selected && 'bg-accent-soft')}
              >
                <button
                  type="button"
                  aria-pressed={stop.number === selected}
                  onClick={() => onSelect(stop)}
                  className={cn(
                    'flex w-full items-center gap-3 rounded-control text-start',
                    stop.number !== selected && 'hover:bg-raised',
                  )}
                >
                  <span
                    aria-hidden
                    className={cn(
                      'flex size-6 shrink-0 items-center justify-center rounded-full text-caps font-semibold tabular-nums',
                      softTone[tone],
                    )}
                  >
                    {stop.number}
                  </span>
                  <span className="sr-only">{t('trail.stop', { number: stop.number })}</span>
                  <span className="min-w-0 flex-1 text-xs text-muted">
                    {customer && (
                      <span dir="auto" data-tip-cut className="block truncate text-sm font-medium text-fg">
                        {customer}
                      </span>
                    )}
                    {t('trail.onSite', { time: formatElapsed(Math.floor((stop.to - stop.from) / 60_000) * 60_000) })}
                  </span>
                  <time dateTime={new Date(stop.from).toISOString()} className="text-sm tabular-nums">
                    {formatTime(stop.from, timeZone)}
                  </time>
                </button>
                {deliveries.length > 0 && (
                  <div className="mt-1 ps-9">
                    <StopDeliveries deliveries={deliveries} />
                  </div>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {[
        { name: 'elsewhere' as const, deliveries: elsewhere },
        { name: 'open' as const, deliveries: open },
      ].map(
        ({ name, deliveries }) =>
          deliveries.length > 0 && (
            <section key={name} className="border-t border-line px-4 py-3">
              <h3 className="mb-1.5 text-xs font-medium text-muted">{t(`trail.${name}`)}</h3>
              <StopDeliveries deliveries={deliveries} />
            </section>
          ),
      )}
    </>
  );
}

/** Deliveries at one stop, with customer and outcome. */
export function StopDeliveries({ deliveries }: { deliveries: readonly TrailDelivery[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {deliveries.map(({ id, customername, deliverystatus }) => (
        <li key={id} className="text-sm">
          <p className="flex items-baseline gap-2">
            <Link
              to={routes.viewDelivery({ deliveryId: id })}
              className="shrink-0 font-medium text-accent tabular-nums hover:underline"
            >
              {id}
            </Link>
            <span dir="auto" className="min-w-0 truncate text-muted">{customername}</span>
          </p>
          <StatusChip kind="delivery" status={deliverystatus} className="mt-0.5" />
        </li>
      ))}
    </ul>
  );
}
