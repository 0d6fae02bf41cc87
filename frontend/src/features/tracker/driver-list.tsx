import { Search, X } from 'lucide-react';
import { type KeyboardEvent, memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { deliveryChangedSubscription, useChanges } from '@/data/use-changes';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants, formatDateTime } from '@/lib/dates';
import { compassPoint } from '@/lib/geo';
import { formatCount } from '@/lib/numbers';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Input } from '@/ui/input';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { DriverDisc, StateTag } from './driver-state';
import { driverState, type DriverState, seenAgo, useFreshness, useToday } from './freshness';
import type { Located } from './location-store';
import { driverDaysQuery } from './queries';

/** As many as one question may name. */
const MAX_IDS = 1000;
const PACE_MS = 15_000;

interface Progress {
  total: number;
  done: number;
}

/** How far each driver is with today's deliveries; empty where that is not known. */
export function useDriverDays(driverIds: readonly string[]): ReadonlyMap<string, Progress> {
  const timeZone = useTimeZone();
  const key = driverIds.slice(0, MAX_IDS).join('\n');
  const today = useToday(timeZone);
  const variables = useMemo(() => {
    const [from, to] = dayRangeToInstants({ from: today, to: today }, timeZone);
    return { driverIds: key === '' ? [] : key.split('\n'), from, to };
  }, [key, today, timeZone]);
  const [{ data }, execute] = useQuery({
    query: driverDaysQuery,
    variables,
    pause: variables.driverIds.length === 0,
    requestPolicy: 'cache-and-network',
  });
  useChanges(deliveryChangedSubscription, {}, () => execute({ requestPolicy: 'network-only' }), {
    pace: PACE_MS,
    enabled: variables.driverIds.length > 0,
  });
  const [known, setKnown] = useState<ReadonlyMap<string, Progress>>(new Map());
  useEffect(() => {
    if (data) setKnown(new Map(data.driverDays.map((day) => [day.driverId, day])));
  }, [data]);
  return known;
}

const ROW = 56;
const AROUND = 6;
/** Where nothing is laid out yet. */
const USUAL_HEIGHT = 600;

interface DriverListProps {
  drivers: readonly Located[];
  days: ReadonlyMap<string, Progress>;
  now: number;
  selected: string | undefined;
  hovered: string | undefined;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
}

/** The drivers one below the other; of a thousand only those in sight are drawn. */
export function DriverList(props: DriverListProps) {
  const { drivers, days, now, selected, hovered, onSelect, onHover } = props;
  const { t } = useTranslation('tracker');
  const freshness = useFreshness();
  const box = useRef<HTMLDivElement>(null);
  const [view, setView] = useState({ top: 0, height: USUAL_HEIGHT });
  const first = Math.max(0, Math.floor(view.top / ROW) - AROUND);
  const last = Math.min(drivers.length, Math.ceil((view.top + view.height) / ROW) + AROUND);

  function measure() {
    const { current } = box;
    if (current) setView({ top: current.scrollTop, height: current.clientHeight || USUAL_HEIGHT });
  }
  useEffect(() => {
    const { current } = box;
    if (!current) return undefined;
    const observer = new ResizeObserver(measure);
    observer.observe(current);
    return () => observer.disconnect();
  }, []);

  // The rows keep their handlers, whoever moved.
  const latest = useRef(drivers);
  useEffect(() => {
    latest.current = drivers;
  });
  const scrollTo = useCallback((index: number) => {
    const { current } = box;
    if (!current || index < 0) return;
    const top = index * ROW;
    if (top < current.scrollTop) current.scrollTop = top;
    else if (top + ROW > current.scrollTop + current.clientHeight) {
      current.scrollTop = top + ROW - current.clientHeight;
    }
  }, []);
  useEffect(() => {
    if (selected === undefined) return;
    scrollTo(latest.current.findIndex(({ driverId }) => driverId === selected));
  }, [selected, scrollTo]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent, own: string) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const index = latest.current.findIndex(({ driverId }) => driverId === own) + step;
      const next = latest.current[index];
      if (!next) return;
      scrollTo(index);
      const find = () =>
        box.current?.querySelector<HTMLElement>(`[data-driver="${CSS.escape(next.driverId)}"]`);
      const target = find();
      if (target) target.focus();
      else requestAnimationFrame(() => find()?.focus());
    },
    [scrollTo],
  );

  return (
    <div ref={box} onScroll={measure} className="relative min-h-0 flex-1 overflow-y-auto">
      <ul
        aria-label={t('list')}
        className="relative"
        style={{ height: drivers.length * ROW }}
      >
        {drivers.slice(first, last).map((driver, index) => (
          <li
            key={driver.driverId}
            aria-setsize={drivers.length}
            aria-posinset={first + index + 1}
            className="absolute inset-x-0"
            style={{ top: (first + index) * ROW }}
          >
            <DriverRow
              driverId={driver.driverId}
              name={driver.name}
              state={driverState(driver.position, driver.at, now, freshness)}
              seen={seenAgo(driver.at, now)}
              {...{ onSelect, onHover, onKeyDown }}
              progress={days.get(driver.driverId)}
              isSelected={driver.driverId === selected}
              isHovered={driver.driverId === hovered}
            />
          </li>
        ))}
      </ul>
    </div>
  );
}

interface DriverRowProps {
  driverId: string;
  name: string;
  state: DriverState;
  /** '20 s ago' */
  seen: string;
  progress: Progress | undefined;
  isSelected: boolean;
  isHovered: boolean;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
  onKeyDown: (event: KeyboardEvent, driverId: string) => void;
}

/**
 * One driver of the list, 56 pixels high. Told only what it shows: a driver moves every second, and
 * mostly nothing of that is to be read here.
 */
const DriverRow = memo(function DriverRow(props: DriverRowProps) {
  const { driverId, name, state, seen, progress, isSelected, isHovered } = props;
  const { onSelect, onHover, onKeyDown } = props;
  const { t } = useTranslation('tracker');
  return (
    <button
      type="button"
      data-driver={driverId}
      aria-pressed={isSelected}
      onClick={() => onSelect(driverId)}
      onMouseEnter={() => onHover(driverId)}
      onMouseLeave={() => onHover(undefined)}
      onFocus={() => onHover(driverId)}
      onBlur={() => onHover(undefined)}
      onKeyDown={(event) => onKeyDown(event, driverId)}
      className={cn(
        'flex h-14 w-full items-center gap-3 border-b border-s-2 border-b-line px-4 text-start focus-visible:-outline-offset-2',
        isSelected ? 'border-s-accent bg-accent-soft' : 'border-s-transparent',
        !isSelected && isHovered && 'bg-raised',
      )}
    >
      <DriverDisc name={name} state={state} />
      <span className="flex min-w-0 flex-1 flex-col gap-0.5">
        <span className="flex items-center gap-2">
          <span dir="auto" className="min-w-0 flex-1 truncate text-sm font-medium">{name}</span>
          <StateTag state={state} />
        </span>
        <span className="flex items-center gap-2 text-xs text-muted">
          <span className="min-w-0 flex-1 truncate">{t('seen', { ago: seen })}</span>
          {progress && progress.total > 0 && (
            <>
              <span aria-hidden className="h-1 w-12 shrink-0 overflow-hidden rounded-full bg-line2">
                <span
                  className="block h-full bg-chart-accent"
                  style={{ width: `${Math.round((progress.done / progress.total) * 100)}%` }}
                />
              </span>
              <span className="min-w-12 shrink-0 text-end tabular-nums">
                {t('progress', { done: progress.done, total: progress.total })}
              </span>
            </>
          )}
        </span>
      </span>
    </button>
  );
});

/** In the place of a list without rows: it is being read, there is nobody, or nobody that is looked for. */
export function DriverListState({ kind }: { kind: 'loading' | 'empty' | 'no-match' }) {
  const { t } = useTranslation('tracker');
  if (kind === 'loading') {
    return (
      <div role="status" aria-label={t('common:loading')} className="flex flex-col gap-6 p-4">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} className="h-8" />
        ))}
      </div>
    );
  }
  const text = kind === 'empty' ? 'empty' : 'noMatch';
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StateView kind={kind} title={t(`${text}.title`)} text={t(`${text}.text`)} />
    </div>
  );
}

interface DriverSearchProps {
  value: string;
  onChange: (value: string) => void;
}

/** Part of a driver's name or id, or of the document of one of their deliveries. */
export function DriverSearch({ value, onChange }: DriverSearchProps) {
  const { t } = useTranslation('tracker');
  return (
    <Input
      size={32}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      aria-label={t('search.label')}
      placeholder={t('search.placeholder')}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      start={<Search aria-hidden className="size-4" />}
      end={value && <IconButton icon={X} size={28} label={t('search.clear')} onClick={() => onChange('')} />}
    />
  );
}

const PAGE = 50;

interface TrackerTableProps {
  drivers: readonly Located[];
  days: ReadonlyMap<string, Progress>;
  now: number;
  selected: string | undefined;
  onSelect: (driverId: string) => void;
}

const head = 'h-9 bg-raised px-2 first:ps-4 text-start text-xs font-medium whitespace-nowrap text-muted';
const cell = 'h-9 px-2 whitespace-nowrap first:ps-4';

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
                  <th scope="row" className={cn(cell, 'text-start font-medium')}>
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
          <span className="me-auto tabular-nums">
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
