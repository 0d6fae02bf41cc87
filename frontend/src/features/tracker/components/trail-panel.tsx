import { Phone } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { formatElapsed } from '@/lib/dates';
import { formatDistance } from '@/lib/geo';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Note } from '@/ui/note';
import { ProgressBar } from '@/ui/progress-bar';
import { Tag } from '@/ui/tag';
import type { Stop } from '../trail/stops';
import type { Totals } from '../trail/totals';
import type { TrailResult } from '../trail/use-trail';
import type { Visits } from '../trail/visits';
import type { useDriverCard } from '../use-driver-card';
import { CardDelivery } from './card-delivery';
import { DayPicker } from './day-picker';
import { DriverDisc } from './driver-disc';
import { FlaggedNote } from './flagged-note';
import { StopList } from './stop-list';

interface TrailPanelProps {
  card: ReturnType<typeof useDriverCard>;
  result: TrailResult;
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

/** The day in words: how far, how long, where it stopped and what was delivered there. */
export function TrailPanel(props: TrailPanelProps) {
  const { card, result, totals, stops, visits, day, today, onDay, selected, onSelect, className } = props;
  const { t } = useTranslation('tracker');
  const { driver, progress, current, next } = card;
  const { trail, status, read, isCut, retry } = result;
  const about = [driver?.driverId, driver?.vehiclePlate, driver?.trucker].filter(Boolean).join(' · ');
  const facts = [
    { name: 'distance', value: formatDistance(totals.distanceM) },
    { name: 'driving', value: whole(totals.drivingMs) },
    { name: 'stopped', value: whole(totals.stoppedMs) },
    { name: 'deliveries', value: progress && t('progress', { done: progress.done, total: progress.total }) },
  ];
  return (
    <section aria-label={t('trail.panel')} className={cn('flex min-h-0 flex-col bg-surface', className)}>
      <div className="flex items-center gap-3 p-4">
        <DriverDisc name={driver?.name ?? ''} state="stop" />
        <div className="min-w-0 flex-1">
          <h2 className="flex items-center gap-2 text-base font-semibold">
            <span className="truncate">{driver?.name ?? t('common:loading')}</span>
            {driver?.status === 'blocked' && <Tag tone="bad">{t('blocked')}</Tag>}
          </h2>
          <p className="truncate text-xs text-muted">{about}</p>
        </div>
        {driver?.phone && (
          <Button asChild icon={Phone}>
            <a href={`tel:${driver.phone.replace(/[^\d+]/g, '')}`}>{t('call')}</a>
          </Button>
        )}
      </div>
      <dl className="grid grid-cols-4 border-y border-line">
        {facts.map(({ name, value }) => (
          <div key={name} className="border-l border-line px-3 py-2 first:border-l-0 first:pl-4">
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
        {status === 'failed' && (
          <div className="px-4">
            <Note
              tone="warn"
              role="alert"
              title={t('trail.stale')}
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
