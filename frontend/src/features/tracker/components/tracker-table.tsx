import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { compassPoint } from '@/lib/geo';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { driverState, seenAgo } from '../freshness';
import type { Located } from '../location-store';
import type { Progress } from '../use-driver-days';
import { useFreshness } from '../use-freshness';
import { StateTag } from './state-tag';

const PAGE = 50;

interface TrackerTableProps {
  drivers: readonly Located[];
  days: ReadonlyMap<string, Progress>;
  now: number;
  selected: string | undefined;
  onSelect: (driverId: string) => void;
}

const head = 'h-9 bg-raised px-2 first:pl-4 text-left text-xs font-medium whitespace-nowrap text-muted';
const cell = 'h-9 px-2 whitespace-nowrap first:pl-4';

/** What the map shows, in words: for keyboards, screen readers and browsers that draw no map. */
export function TrackerTable(props: TrackerTableProps) {
  const { drivers, days, now, selected, onSelect } = props;
  const { t } = useTranslation('tracker');
  const freshness = useFreshness();
  const timeZone = useTimeZone();
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(drivers.length / PAGE));
  const shownPage = Math.min(page, pages - 1);
  const shown = drivers.slice(shownPage * PAGE, (shownPage + 1) * PAGE);
  const columns = ['driver', 'state', 'seen', 'speed', 'heading', 'battery', 'accuracy', 'place', 'progress', 'trail'];
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      <section aria-label={t('table.label')} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
        <table className="w-full text-sm tabular-nums">
          <caption className="sr-only">{t('table.label')}</caption>
          <thead className="sticky top-0 z-10">
            <tr>
              {columns.map((column) => (
                <th key={column} scope="col" className={head}>
                  {t(`table.${column}`)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {shown.map(({ driverId, name, position, at }) => {
              const { speedKmh, headingDeg, batteryPct, accuracyM, lat, lng } = position;
              const progress = days.get(driverId);
              return (
                <tr
                  key={driverId}
                  className={cn('border-b border-line', driverId === selected && 'bg-accent-soft')}
                >
                  <th scope="row" className={cn(cell, 'text-left font-medium')}>
                    <button
                      type="button"
                      aria-pressed={driverId === selected}
                      onClick={() => onSelect(driverId)}
                      className="hit-target text-accent hover:underline"
                    >
                      {name}
                    </button>
                  </th>
                  <td className={cell}>
                    <StateTag state={driverState(position, at, now, freshness)} />
                  </td>
                  <td className={cell} data-tip={formatDateTime(at, timeZone)}>
                    {seenAgo(at, now)}
                  </td>
                  <td className={cell}>{speedKmh === null ? '-' : t('units.speed', { speed: Math.round(speedKmh) })}</td>
                  <td className={cell}>{headingDeg === null ? '-' : compassPoint(headingDeg)}</td>
                  <td className={cell}>{batteryPct === null ? '-' : `${Math.round(batteryPct)}%`}</td>
                  <td className={cell}>{accuracyM === null ? '-' : t('units.metres', { metres: Math.round(accuracyM) })}</td>
                  <td className={cell}>{`${lat.toFixed(5)}, ${lng.toFixed(5)}`}</td>
                  <td className={cell}>{progress ? t('progress', { done: progress.done, total: progress.total }) : '-'}</td>
                  <td className={cell}>
                    <Link to={routes.driverTracker({ driverId })} className="text-accent hover:underline">
                      {t('openTrail')}
                      <span className="sr-only"> {name}</span>
                    </Link>
                  </td>
                </tr>
              );
            })}
          </tbody>
        </table>
      </section>
      {pages > 1 && (
        <div className="flex h-11 shrink-0 items-center justify-end gap-2 border-t border-line px-4 text-xs text-muted">
          <span className="mr-auto tabular-nums">
            {t('table.range', {
              from: formatCount(shownPage * PAGE + 1),
              to: formatCount(shownPage * PAGE + shown.length),
              total: formatCount(drivers.length),
            })}
          </span>
          <Button size={28} disabled={shownPage === 0} onClick={() => setPage(shownPage - 1)}>
            {t('table.previous')}
          </Button>
          <Button size={28} disabled={shownPage === pages - 1} onClick={() => setPage(shownPage + 1)}>
            {t('table.next')}
          </Button>
        </div>
      )}
    </div>
  );
}
