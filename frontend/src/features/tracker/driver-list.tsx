import { observeElementRect, useVirtualizer } from '@tanstack/react-virtual';
import { Search, X } from 'lucide-react';
import { type KeyboardEvent, memo, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import type { NameIn } from '@/i18n/texts';
import { formatDateTime } from '@/lib/dates';
import { compassPoint } from '@/lib/geo';
import { formatCount } from '@/lib/numbers';
import { closeKeyboard } from '@/lib/on-screen-keyboard';
import { routes } from '@/routing/routes';
import { Button, IconButton } from '@/ui/button';
import { cn } from '@/ui/cn';
import { Input } from '@/ui/input';
import { Skeleton } from '@/ui/skeleton';
import { StateView } from '@/ui/state-view';
import { Table, type TableColumn } from '@/ui/table';
import { DriverDisc, StateTag } from './driver-state';
import { driverState, type DriverState, seenAgo, useFreshness } from './freshness';
import type { Located } from './location-store';
import type { Progress } from './use-driver-days';

const ROW = 56;
const AROUND = 6;
/** Height of the list in pixels, assumed before layout. */
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

/** Reports the usual height before layout, and in tests, which have no layout. */
const observeBox: typeof observeElementRect<HTMLDivElement> = (instance, report) =>
  observeElementRect(instance, (rect) => report({ ...rect, height: rect.height || USUAL_HEIGHT }));

/** Only the drivers in sight are rendered: there can be thousands, and they move every second. */
export function DriverList(props: DriverListProps) {
  const { drivers, days, now, selected, hovered, onSelect, onHover } = props;
  const { t } = useTranslation('tracker');
  const freshness = useFreshness();
  const box = useRef<HTMLDivElement>(null);
  // oxlint-disable-next-line react/incompatible-library -- concerns the React Compiler, which is not used
  const { getTotalSize, getVirtualItems, scrollToIndex } = useVirtualizer({
    count: drivers.length,
    estimateSize: () => ROW,
    overscan: AROUND,
    getScrollElement: () => box.current,
    observeElementRect: observeBox,
  });

  // Keeps the row handlers stable when drivers move.
  const latest = useRef(drivers);
  useLayoutEffect(() => {
    latest.current = drivers;
  });
  useEffect(() => {
    const index = latest.current.findIndex(({ driverId }) => driverId === selected);
    if (index >= 0) scrollToIndex(index);
  }, [selected, scrollToIndex]);

  const onKeyDown = useCallback(
    (event: KeyboardEvent, own: string) => {
      const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      const index = latest.current.findIndex(({ driverId }) => driverId === own) + step;
      const next = latest.current[index];
      if (!next) return;
      scrollToIndex(index);
      const find = () =>
        box.current?.querySelector<HTMLElement>(`[data-driver="${CSS.escape(next.driverId)}"]`);
      const target = find();
      if (target) target.focus();
      else requestAnimationFrame(() => find()?.focus());
    },
    [scrollToIndex],
  );

  return (
    <div ref={box} className="relative min-h-0 flex-1 overflow-y-auto overscroll-contain max-md:short:min-h-40">
      <ul aria-label={t('list')} className="relative" style={{ height: getTotalSize() }}>
        {getVirtualItems().map(({ index, start }) => {
          const driver = drivers[index];
          if (!driver) return null;
          return (
            <li
              key={driver.driverId}
              aria-setsize={drivers.length}
              aria-posinset={index + 1}
              className="absolute inset-x-0"
              style={{ top: start }}
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
          );
        })}
      </ul>
    </div>
  );
}

interface DriverRowProps {
  driverId: string;
  name: string;
  state: DriverState;
  /** For example '20 s ago'. */
  seen: string;
  progress: Progress | undefined;
  isSelected: boolean;
  isHovered: boolean;
  onSelect: (driverId: string) => void;
  onHover: (driverId: string | undefined) => void;
  onKeyDown: (event: KeyboardEvent, driverId: string) => void;
}

/**
 * One driver in the list, 56 pixels high. Its props are only the values that it shows: drivers move every second, but
 * these values rarely change.
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

/** Placeholder of an empty list: loading, no drivers, or no match. */
export function DriverListState({ kind }: { kind: 'loading' | 'empty' | 'quiet' | 'no-match' }) {
  const { t } = useTranslation(['tracker', 'common']);
  if (kind === 'loading') {
    return (
      <div role="status" aria-label={t('common:loading')} className="flex flex-col gap-6 p-4">
        {Array.from({ length: 8 }, (_, index) => (
          <Skeleton key={index} className="h-8" />
        ))}
      </div>
    );
  }
  const text = kind === 'no-match' ? 'noMatch' : kind;
  return (
    <div className="min-h-0 flex-1 overflow-y-auto">
      <StateView kind={kind === 'quiet' ? 'empty' : kind} title={t(`${text}.title`)} text={t(`${text}.text`)} />
    </div>
  );
}

interface DriverSearchProps {
  value: string;
  onChange: (value: string) => void;
}

/** Searches by driver name, driver ID or Delivery Doc. */
export function DriverSearch({ value, onChange }: DriverSearchProps) {
  const { t } = useTranslation('tracker');
  const box = useRef<HTMLInputElement>(null);

  function clear() {
    onChange('');
    // The button disappears.
    box.current?.focus();
  }

  return (
    <Input
      ref={box}
      size={32}
      value={value}
      onChange={({ target }) => onChange(target.value)}
      onKeyDown={({ key, currentTarget }) => key === 'Enter' && closeKeyboard(currentTarget)}
      enterKeyHint="search"
      aria-label={t('search.label')}
      placeholder={t('search.placeholder')}
      maxLength={64}
      autoComplete="off"
      spellCheck={false}
      start={<Search aria-hidden className="size-4" />}
      end={value && <IconButton icon={X} size={28} label={t('search.clear')} onClick={clear} />}
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

/** The map as a table, for keyboards, screen readers and browsers without map support. */
export function TrackerTable(props: TrackerTableProps) {
  const { drivers, days, now, selected, onSelect } = props;
  const { t } = useTranslation('tracker');
  const freshness = useFreshness();
  const timeZone = useTimeZone();
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(drivers.length / PAGE));
  const shownPage = Math.min(page, pages - 1);
  const shown = drivers.slice(shownPage * PAGE, (shownPage + 1) * PAGE);
  const columns: (TableColumn<Located> & { id: NameIn<'tracker:table'> })[] = [
    {
      id: 'driver',
      render: ({ driverId, name }) => (
        <button
          type="button"
          aria-pressed={driverId === selected}
          onClick={() => onSelect(driverId)}
          className="hit-target text-accent hover:underline"
        >
          {name}
        </button>
      ),
      names: true,
    },
    {
      id: 'state',
      render: ({ position, at }) => <StateTag state={driverState(position, at, now, freshness)} />,
    },
    {
      id: 'seen',
      // Not a tab stop in each row: the card of the driver shows the date, too.
      render: ({ at }) => (
        <span data-tip={formatDateTime(at, timeZone)}>
          {seenAgo(at, now)}
          <span className="sr-only">, {formatDateTime(at, timeZone)}</span>
        </span>
      ),
    },
    {
      id: 'speed',
      render: ({ position: { speedKmh } }) =>
        speedKmh === null ? '-' : t('units.speed', { speed: Math.round(speedKmh) }),
    },
    {
      id: 'heading',
      render: ({ position: { headingDeg } }) => (headingDeg === null ? '-' : compassPoint(headingDeg)),
    },
    {
      id: 'battery',
      render: ({ position: { batteryPct } }) => (batteryPct === null ? '-' : `${Math.round(batteryPct)}%`),
    },
    {
      id: 'accuracy',
      render: ({ position: { accuracyM } }) =>
        accuracyM === null ? '-' : t('units.meters', { meters: Math.round(accuracyM) }),
    },
    {
      id: 'place',
      render: ({ position: { lat, lng } }) => `${lat.toFixed(5)}, ${lng.toFixed(5)}`,
    },
    {
      id: 'progress',
      render: ({ driverId }) => {
        const progress = days.get(driverId);
        return progress ? t('progress', { done: progress.done, total: progress.total }) : '-';
      },
    },
    {
      id: 'trail',
      render: ({ driverId, name }) => (
        <Link to={routes.driverTracker({ driverId })} className="text-accent hover:underline">
          {t('openTrail')}
          <span className="sr-only"> {name}</span>
        </Link>
      ),
    },
  ];
  return (
    <div className="flex min-h-0 min-w-0 flex-1 flex-col">
      {/* Positioned, so that texts for screen readers scroll with the table and don't widen the page. */}
      <section aria-label={t('table.label')} tabIndex={0} className="relative min-h-0 flex-1 overflow-auto">
        <Table
          look="dense"
          caption={t('table.label')}
          columns={columns.map((column) => ({ ...column, header: t(`table.${column.id}`) }))}
          rows={shown}
          rowKey={({ driverId }) => driverId}
          markedKey={selected}
        />
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
