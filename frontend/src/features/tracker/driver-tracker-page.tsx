import { Download, FileText, Route } from 'lucide-react';
import { useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-state';
import { useFileExport } from '@/data/use-file-export';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants, formatElapsed, formatTime, isDay } from '@/lib/dates';
import { fileName } from '@/lib/file-name';
import { formatDistance } from '@/lib/geo';
import { formatBytes } from '@/lib/numbers';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { routes, useRouteParams } from '@/routing/routes';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuLabel,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { StateView } from '@/ui/state-view';
import { Table } from '@/ui/table';
import { toast } from '@/ui/toast';
import { pageHeading, useFocusFallback } from '@/ui/use-focus-fallback';
import { useDriverCard } from './driver-card';
import { useToday } from './freshness';
import { ReplayBar } from './replay-bar';
import { TrailMap } from './trail-map';
import { StopDeliveries, TrailPanel } from './trail-panel';
import {
  customerAt,
  findStops,
  pinDeliveries,
  type Stop,
  totalsOf,
  type TrailPoint,
  type Visits,
  wayM,
} from './trail/points';
import { createReplay } from './trail/replay';
import { useTrail, useTrailDeliveries } from './trail/use-trail';
import { MapFailureNote, useSearchParam, useTrackerView, ViewSwitch } from './view-switch';

export default function DriverTrackerPage() {
  const { driverId } = useRouteParams('driverTracker');
  const { t } = useTranslation('tracker');
  const page = useFocusFallback<HTMLDivElement>(pageHeading);
  const timeZone = useTimeZone();
  const isNarrow = useNarrowScreen();
  const [asked = '', setDay] = useSearchParam('day');
  const { view, setView, failure, setFailure } = useTrackerView();
  const [isFollowing, setIsFollowing] = useState(true);
  const [selected, setSelected] = useState<number>();

  const today = useToday(timeZone);
  const day = isDay(asked) && asked <= today ? asked : today;
  const [from, to] = dayRangeToInstants({ from: day, to: day }, timeZone);

  const card = useDriverCard(driverId, day);
  const result = useTrail({ driverId, from, to });
  const dayDeliveries = useTrailDeliveries({ driverId, from, to });
  const { deliveries } = dayDeliveries;
  const { points } = result.trail;
  const stops = useMemo(() => findStops(points), [points]);
  const totals = useMemo(() => totalsOf(points, stops), [points, stops]);
  const visits = useMemo(
    () => pinDeliveries(deliveries, stops, { from: Date.parse(from), to: Date.parse(to) }),
    [deliveries, stops, from, to],
  );
  const next = day === today ? visits.open[0] : undefined;

  const [replay] = useState(() => createReplay());
  const [first, last] = [points[0]?.at, points.at(-1)?.at];
  // Before the bar of the replay can be used, which is shown with the same points.
  useLayoutEffect(() => {
    if (first !== undefined && last !== undefined) replay.setRange(first, last);
  }, [replay, first, last]);
  useEffect(() => () => replay.pause(), [replay, driverId, day]);

  function show(stop: Stop) {
    setSelected(stop.number);
    replay.seek(stop.from);
  }
  function showNumber(number: number) {
    const stop = stops.find((each) => each.number === number);
    if (stop) show(stop);
  }

  if (card.driver === null) {
    return (
      <StateView
        kind="no-match"
        title={t('trail.notFound.title')}
        text={t('trail.notFound.text', { driverId })}
        actions={
          <Button asChild variant="primary" size={36}>
            <Link to={routes.driverTrackerList()}>{t('trail.notFound.action')}</Link>
          </Button>
        }
      />
    );
  }
  if (card.error && !card.driver) {
    return <QueryFailure error={normalizeError(card.error)} onRetry={card.retry} />;
  }

  const switcher = <ViewSwitch value={view} failure={failure} onChange={setView} />;
  const isEmpty = points.length === 0 && result.status === 'ready';
  const empty = (
    <StateView kind="empty" title={t('trail.noPositions.title')} text={t('trail.noPositions.text')} />
  );
  const panel = (
    <TrailPanel
      {...{ card, result, dayDeliveries, totals, stops, visits, day, today, selected }}
      onDay={(chosen) => {
        setSelected(undefined);
        setDay(chosen === today ? undefined : chosen);
      }}
      onSelect={show}
      className={cn(isNarrow ? 'border-t border-line' : 'w-96 shrink-0 border-e border-line')}
    />
  );
  return (
    <div
      ref={page}
      className={cn(
        'flex min-h-0 flex-1',
        isNarrow ? 'flex-col' : 'h-[calc(100dvh-var(--shell-top))] flex-none',
      )}
    >
      {!isNarrow && panel}
      <div className="flex min-h-0 min-w-0 flex-1 flex-col">
        {view === 'map' ? (
          <TrailMap
            {...{ points, stops, visits, next, replay, isFollowing }}
            trailKey={`${driverId} ${day}`}
            onStop={showNumber}
            onFailed={setFailure}
            className={isNarrow ? 'h-[45dvh]' : 'flex-1'}
          >
            <div className="absolute top-4 start-4 z-10">{switcher}</div>
            {isEmpty && (
              <div className="absolute inset-x-4 top-1/4 z-10 mx-auto max-w-[440px] rounded-panel border border-line2 bg-surface shadow-float">
                {empty}
              </div>
            )}
          </TrailMap>
        ) : (
          <div className="flex min-h-0 flex-1 flex-col bg-surface">
            <div className="flex flex-wrap items-center gap-3 border-b border-line px-4 py-3">
              {switcher}
              <MapFailureNote failure={failure} onRetry={() => setView('map')} />
            </div>
            {isEmpty ? empty : <TrailTable {...{ points, stops, visits }} />}
          </div>
        )}
        {points.length > 0 && (
          <ReplayBar
            {...{ points, stops, visits, replay, isFollowing }}
            onFollow={setIsFollowing}
            tools={<TrailExport {...{ driverId, day, from, to }} />}
          />
        )}
      </div>
      {isNarrow && panel}
    </div>
  );
}

interface TrailExportProps {
  driverId: string;
  day: string;
  /** Instants; `from` is inclusive, `to` exclusive. */
  from: string;
  to: string;
}

const TYPES = { csv: 'text/csv;charset=utf-8', gpx: 'application/gpx+xml' } as const;

/** Exports all positions of the day, including flagged ones. */
function TrailExport({ driverId, day, from, to }: TrailExportProps) {
  const { t } = useTranslation(['tracker', 'common']);
  const { state, start, cancel } = useFileExport<keyof typeof TYPES>({
    leftPage: t('export.leftPage'),
    onDone: ({ filename, bytes }) =>
      toast.success(t('export.done', { filename, size: formatBytes(bytes) })),
    onFailed: (text) => toast.error(`${t('export.failed')}. ${text ?? t('export.brokeOff')}`),
  });
  function save(format: keyof typeof TYPES) {
    void start(format, {
      filename: `${fileName(driverId, day)}.${format}`,
      address: `/export/driver-positions?${new URLSearchParams({ driverId, from, to, format })}`,
      type: TYPES[format],
    });
  }
  if (state?.status === 'running') {
    return (
      <span className="flex items-center gap-2 text-xs text-muted tabular-nums" role="status">
        {t('export.running', { size: formatBytes(state.bytes) })}
        <Button size={28} onClick={cancel}>
          {t('common:cancel')}
        </Button>
      </span>
    );
  }
  return (
    <DropdownMenu>
      <DropdownMenuTrigger asChild>
        <Button icon={Download}>{t('export.title')}</Button>
      </DropdownMenuTrigger>
      <DropdownMenuContent>
        <DropdownMenuLabel>{t('export.what')}</DropdownMenuLabel>
        <DropdownMenuItem icon={FileText} onSelect={() => save('csv')}>
          {t('export.csv')}
        </DropdownMenuItem>
        <DropdownMenuItem icon={Route} onSelect={() => save('gpx')}>
          {t('export.gpx')}
        </DropdownMenuItem>
      </DropdownMenuContent>
    </DropdownMenu>
  );
}

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
  meters: number;
}

/** Splits a trail into alternating drives and stops. */
function partsOf(points: readonly TrailPoint[], stops: readonly Stop[]): Part[] {
  const parts: Part[] = [];
  let first = 0;
  const drive = (last: number) => {
    const [from, to] = [points[first], points[last]];
    if (!from || !to || last <= first) return;
    parts.push({ key: `drive ${first}`, from: from.at, to: to.at, meters: wayM(points, [], first, last) });
  };
  for (const stop of stops) {
    drive(stop.first);
    parts.push({ key: `stop ${stop.number}`, stop, from: stop.from, to: stop.to, meters: 0 });
    first = stop.last;
  }
  drive(points.length - 1);
  return parts;
}

/** The trail as a table. */
function TrailTable({ points, stops, visits }: TrailTableProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  return (
    <section aria-label={t('trail.table.label')} tabIndex={0} className="min-h-0 flex-1 overflow-auto">
      <Table
        look="page"
        caption={t('trail.table.label')}
        columns={[
          {
            id: 'kind',
            header: t('trail.table.kind'),
            render: ({ stop, meters }) =>
              stop
                ? t('trail.table.stop', { number: stop.number })
                : t('trail.table.drive', { distance: formatDistance(meters) }),
            names: true,
          },
          { id: 'from', header: t('trail.table.from'), render: ({ from }) => formatTime(from, timeZone) },
          { id: 'to', header: t('trail.table.to'), render: ({ to }) => formatTime(to, timeZone) },
          {
            id: 'duration',
            header: t('trail.table.duration'),
            render: ({ from, to }) => formatElapsed(Math.floor((to - from) / 60_000) * 60_000),
          },
          {
            id: 'customer',
            header: t('trail.table.customer'),
            render: ({ stop }) => <span dir="auto">{(stop && customerAt(stop, visits)) ?? '-'}</span>,
          },
          {
            id: 'place',
            header: t('trail.table.place'),
            render: ({ stop }) => (stop ? `${stop.lat.toFixed(5)}, ${stop.lng.toFixed(5)}` : '-'),
          },
          {
            id: 'deliveries',
            header: t('trail.table.deliveries'),
            render: ({ stop }) => {
              const deliveries = stop ? (visits.byStop.get(stop.number) ?? []) : [];
              if (deliveries.length > 0) return <StopDeliveries deliveries={deliveries} />;
              return <span className="text-muted">{t('trail.table.none')}</span>;
            },
          },
        ]}
        rows={partsOf(points, stops)}
        rowKey={({ key }) => key}
      />
    </section>
  );
}
