import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatElapsed, formatTime } from '@/lib/dates';
import { formatDistance } from '@/lib/geo';
import type { TrailPoint } from '../trail/points';
import type { Stop } from '../trail/stops';
import { wayM } from '../trail/totals';
import type { Visits } from '../trail/visits';
import { StopDeliveries } from './stop-deliveries';

interface TrailTableProps {
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
}

interface Part {
  key: string;
  stop?: Stop;
  from: number;
  to: number;
  metres: number;
}

/** Drives and stops in turn. */
function partsOf(points: readonly TrailPoint[], stops: readonly Stop[]): Part[] {
  const parts: Part[] = [];
  let first = 0;
  const drive = (last: number) => {
    const [from, to] = [points[first], points[last]];
    if (!from || !to || last <= first) return;
    parts.push({ key: `drive ${first}`, from: from.at, to: to.at, metres: wayM(points, [], first, last) });
  };
  for (const stop of stops) {
    drive(stop.first);
    parts.push({ key: `stop ${stop.number}`, stop, from: stop.from, to: stop.to, metres: 0 });
    first = stop.last;
  }
  drive(points.length - 1);
  return parts;
}

const head = 'h-9 bg-raised px-3 text-left text-xs font-medium whitespace-nowrap text-muted';
const cell = 'px-3 py-2 align-top whitespace-nowrap';

/** The day as the map shows it, in words. */
export function TrailTable({ points, stops, visits }: TrailTableProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  return (
    <section aria-label={t('trail.table.label')} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
      <table className="w-full text-sm tabular-nums">
        <caption className="sr-only">{t('trail.table.label')}</caption>
        <thead className="sticky top-0 z-10">
          <tr>
            {['kind', 'from', 'to', 'duration', 'place', 'deliveries'].map((column) => (
              <th key={column} scope="col" className={head}>
                {t(`trail.table.${column}`)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {partsOf(points, stops).map(({ key, stop, from, to, metres }) => {
            const deliveries = stop ? (visits.byStop.get(stop.number) ?? []) : [];
            return (
              <tr key={key} className="border-b border-line">
                <th scope="row" className={`${cell} text-left font-medium`}>
                  {stop
                    ? t('trail.table.stop', { number: stop.number })
                    : t('trail.table.drive', { distance: formatDistance(metres) })}
                </th>
                <td className={cell}>{formatTime(from, timeZone)}</td>
                <td className={cell}>{formatTime(to, timeZone)}</td>
                <td className={cell}>{formatElapsed(Math.floor((to - from) / 60_000) * 60_000)}</td>
                <td className={cell}>{stop ? `${stop.lat.toFixed(5)}, ${stop.lng.toFixed(5)}` : '-'}</td>
                <td className={cell}>
                  {deliveries.length > 0 ? (
                    <StopDeliveries deliveries={deliveries} />
                  ) : (
                    <span className="text-muted">{t('trail.table.none')}</span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </section>
  );
}
