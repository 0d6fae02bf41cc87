import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatElapsed, formatTime } from '@/lib/dates';
import { cn } from '@/ui/cn';
import { statusLook } from '@/ui/statuses';
import { softTone } from '@/ui/tones';
import type { Stop } from '../trail/stops';
import { type Visits, worstStatus } from '../trail/visits';
import { StopDeliveries } from './stop-deliveries';

interface StopListProps {
  stops: readonly Stop[];
  visits: Visits;
  /** The number of the one that is shown. */
  selected: number | undefined;
  onSelect: (stop: Stop) => void;
}

/** Where the driver stayed, what was delivered there, and what is left. */
export function StopList({ stops, visits, selected, onSelect }: StopListProps) {
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
                    'flex w-full items-center gap-3 rounded-control text-left',
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
                    {t('trail.onSite', { time: formatElapsed(Math.floor((stop.to - stop.from) / 60_000) * 60_000) })}
                  </span>
                  <time dateTime={new Date(stop.from).toISOString()} className="text-sm tabular-nums">
                    {formatTime(stop.from, timeZone)}
                  </time>
                </button>
                {deliveries.length > 0 && (
                  <div className="mt-1 pl-9">
                    <StopDeliveries deliveries={deliveries} />
                  </div>
                )}
              </li>
            );
          })}
        </ol>
      )}
      {[
        { name: 'elsewhere', deliveries: elsewhere },
        { name: 'open', deliveries: open },
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
