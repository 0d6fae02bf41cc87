import { BatteryCharging, Phone, Route, X } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { Placeholder } from '@/data/query-state';
import { deliveriesChangedSubscription, useChanges } from '@/data/use-changes';
import { useRecord } from '@/data/use-record';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants, formatDateTime, formatTime } from '@/lib/dates';
import { phoneAddress } from '@/lib/phone';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { ProgressBar } from '@/ui/progress-bar';
import { type DeliveryStatus, statusLook } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import { Tip } from '@/ui/tip';
import { firstControl, useFocusFallback } from '@/ui/use-focus-fallback';
import { DriverDisc, StateTag } from './driver-state';
import { driverState, seenAgo, useFreshness, useToday } from './freshness';
import type { Located } from './location-store';
import { cardDeliveriesQuery, driverCardQuery } from './queries';

const PACE_MS = 5000;

/** Loads a driver with the progress, current and next delivery of the day. */
export function useDriverCard(driverId: string, day?: string) {
  const timeZone = useTimeZone();
  const today = useToday(timeZone);
  const shown = day ?? today;
  const [from, to] = dayRangeToInstants({ from: shown, to: shown }, timeZone);
  const card = useRecord({
    document: driverCardQuery,
    variables: { driverId, driverIds: [driverId], from, to },
    typenames: ['Driver', 'DriverDay'],
    read: (data) => data,
  });
  const { value, error } = card;
  const progress = value?.driverDays[0];
  const current = progress?.currentDeliveryId ?? '';
  const next = progress?.nextDeliveryId ?? '';
  const [hasCurrent, hasNext] = [current !== '', next !== '' && next !== current];
  const deliveries = useRecord({
    document: cardDeliveriesQuery,
    variables: { current, hasCurrent, next, hasNext },
    typenames: ['Delivery'],
    pause: !hasCurrent && !hasNext,
    read: (data) => data,
  });
  function refresh() {
    card.refresh();
    deliveries.refresh();
  }
  function retry() {
    if (error) card.retry();
    if (deliveries.error) deliveries.retry();
  }
  useChanges(deliveriesChangedSubscription, {}, refresh, { pace: PACE_MS });
  return {
    driver: value?.driver,
    progress,
    current: deliveries.value?.current,
    next: deliveries.value?.next,
    error,
    /** Whether a part is missing because it could not be read. */
    hasFailed: Boolean((error && !value) || (deliveries.error && !deliveries.value)),
    retry,
  };
}

interface DriverCardProps {
  driver: Located;
  now: number;
  onClose: () => void;
  className?: string;
}

/** Card of the selected driver with state, deliveries and actions. */
export function DriverCard({ driver: located, now, onClose, className }: DriverCardProps) {
  const { driverId, name, status, position, at } = located;
  const { t } = useTranslation(['tracker', 'common']);
  const freshness = useFreshness();
  const timeZone = useTimeZone();
  // Retry disappears once it has worked.
  const card = useFocusFallback<HTMLElement>(firstControl);
  const { driver, progress, current, next, hasFailed, retry } = useDriverCard(driverId);
  const about = [driverId, driver?.vehiclePlate, driver?.trucker].filter(Boolean).join(' · ');
  const { speedKmh, batteryPct, charging, accuracyM } = position;
  const facts = [
    { name: 'speed' as const, value: speedKmh === null ? undefined : t('units.speed', { speed: Math.round(speedKmh) }) },
    { name: 'battery' as const, value: batteryPct === null ? undefined : `${Math.round(batteryPct)}%`, icon: charging ? BatteryCharging : undefined },
    { name: 'accuracy' as const, value: accuracyM === null ? undefined : t('units.meters', { meters: Math.round(accuracyM) }) },
    { name: 'seen' as const, value: seenAgo(at, now), tip: formatDateTime(at, timeZone) },
  ];
  return (
    <section
      ref={card}
      aria-label={t('card.label', { name })}
      className={cn('flex flex-col rounded-panel border border-line2 bg-surface shadow-float', className)}
    >
      <header className="flex items-start gap-3 p-4">
        <DriverDisc name={name} state={driverState(position, at, now, freshness)} />
        <div className="min-w-0 flex-1">
          <div className="flex flex-wrap items-center gap-2">
            <h2 dir="auto" data-tip-cut className="truncate text-base font-semibold">{name}</h2>
            <StateTag state={driverState(position, at, now, freshness)} />
            {status === 'blocked' && <Tag tone="bad">{t('blocked')}</Tag>}
          </div>
          <p data-tip-cut className="truncate text-xs text-muted">{about}</p>
        </div>
        <IconButton icon={X} size={28} label={t('card.close')} onClick={onClose} />
      </header>
      <dl className="grid grid-cols-4 border-y border-line">
        {facts.map(({ name: fact, value, icon: Icon, tip }) => (
          <div key={fact} className="border-s border-line px-3 py-2 first:border-s-0 first:ps-4">
            <dt className="text-xs text-muted">{t(`card.${fact}`)}</dt>
            <dd className="flex items-center gap-1 text-sm font-medium whitespace-nowrap tabular-nums">
              <Tip tip={tip}>{value ?? <span className="font-normal text-muted">{t('unknown')}</span>}</Tip>
              {Icon && <Icon aria-label={t('card.charging')} className="size-3.5" />}
            </dd>
          </div>
        ))}
      </dl>
      <div className="flex flex-col gap-2.5 p-4">
        {progress && progress.total > 0 ? (
          <div className="flex items-center gap-3 text-sm">
            <span className="text-xs text-muted">{t('card.progress')}</span>
            <ProgressBar label={t('card.progress')} value={progress.done / progress.total} className="flex-1" />
            <span className="font-medium tabular-nums">
              {t('progress', { done: progress.done, total: progress.total })}
            </span>
          </div>
        ) : (
          (driver !== undefined || !hasFailed) && (
            <p className="text-sm text-muted">
              {driver === undefined ? <Placeholder kind="loading" /> : t('card.noDeliveries')}
            </p>
          )
        )}
        {hasFailed && (
          <p role="alert" className="flex items-center justify-between gap-3 text-sm">
            {t('card.failed')}
            <Button size={28} onClick={retry}>
              {t('common:retry')}
            </Button>
          </p>
        )}
        {(current || next) && (
          <ul className="flex flex-col gap-2">
            {current && <CardDelivery label={t('card.current')} delivery={current} />}
            {next && <CardDelivery label={t('card.next')} delivery={next} />}
          </ul>
        )}
      </div>
      <footer className="flex flex-wrap gap-2 border-t border-line p-4">
        <Button asChild variant="primary" icon={Route}>
          <Link to={routes.driverTracker({ driverId })}>{t('openTrail')}</Link>
        </Button>
        {driver?.phone && phoneAddress(driver.phone) && (
          <Button asChild icon={Phone}>
            <a href={phoneAddress(driver.phone)}>{t('call')}</a>
          </Button>
        )}
      </footer>
    </section>
  );
}

interface CardDeliveryProps {
  /** For example 'Now' or 'Next'. */
  label: string;
  delivery: {
    id: string;
    customername: string;
    deliverystatus: DeliveryStatus;
    scheduledatetime: string;
  };
}

/** The current or next delivery of a driver, on one line. */
export function CardDelivery({ label, delivery }: CardDeliveryProps) {
  const timeZone = useTimeZone();
  const { id, customername, deliverystatus, scheduledatetime } = delivery;
  const { icon: Icon } = statusLook({ kind: 'delivery', status: deliverystatus });
  return (
    <li className="flex items-center gap-2 text-sm">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="w-9 shrink-0 text-xs text-muted">{label}</span>
      <Link
        to={routes.viewDelivery({ deliveryId: id })}
        className="shrink-0 font-medium text-accent tabular-nums hover:underline"
      >
        {id}
      </Link>
      <span dir="auto" className="min-w-0 flex-1 truncate text-muted">{customername}</span>
      <time dateTime={scheduledatetime} className="shrink-0 tabular-nums">
        {formatTime(scheduledatetime, timeZone)}
      </time>
    </li>
  );
}
