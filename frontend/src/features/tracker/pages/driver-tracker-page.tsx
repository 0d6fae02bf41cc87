import { useEffect, useMemo, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { useTimeZone } from '@/data/use-time-zone';
import { dayRangeToInstants, isDay } from '@/lib/dates';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { routes } from '@/routing/routes';
import { useRouteParams } from '@/routing/route-params';
import { Button } from '@/ui/button';
import { cn } from '@/ui/cn';
import { hasWebgl } from '@/ui/map/webgl';
import { Note } from '@/ui/note';
import { StateView } from '@/ui/state-view';
import { useToday } from '../clock';
import { ReplayBar } from '../components/replay-bar';
import { TrailExport } from '../components/trail-export';
import { TrailMap } from '../components/trail-map';
import { TrailPanel } from '../components/trail-panel';
import { TrailTable } from '../components/trail-table';
import { ViewSwitch } from '../components/view-switch';
import { createReplay } from '../trail/replay';
import { findStops, type Stop } from '../trail/stops';
import { totalsOf } from '../trail/totals';
import { useTrail } from '../trail/use-trail';
import { useTrailDeliveries } from '../trail/use-trail-deliveries';
import { pinDeliveries } from '../trail/visits';
import { useDriverCard } from '../use-driver-card';
import { useSearchParam } from '../use-search-param';

export default function DriverTrackerPage() {
  const { driverId } = useRouteParams('driverTracker');
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const isNarrow = useNarrowScreen();
  const [asked = '', setDay] = useSearchParam('day');
  const [wantedView, setView] = useSearchParam('view');
  const [isFollowing, setIsFollowing] = useState(true);
  const [selected, setSelected] = useState<number>();
  const [hasNoMap, setHasNoMap] = useState(() => !hasWebgl());

  const today = useToday(timeZone);
  const day = isDay(asked) && asked <= today ? asked : today;
  const [from, to] = dayRangeToInstants({ from: day, to: day }, timeZone);
  const view = hasNoMap || wantedView === 'table' ? 'table' : 'map';

  const card = useDriverCard(driverId, day);
  const result = useTrail({ driverId, from, to });
  const deliveries = useTrailDeliveries(driverId, from, to);
  const { points } = result.trail;
  const stops = useMemo(() => findStops(points), [points]);
  const totals = useMemo(() => totalsOf(points, stops), [points, stops]);
  const visits = useMemo(() => pinDeliveries(deliveries, stops), [deliveries, stops]);
  const next = day === today ? visits.open[0] : undefined;

  const [replay] = useState(() => createReplay());
  const [first, last] = [points[0]?.at, points.at(-1)?.at];
  useEffect(() => {
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

  const switcher = (
    <ViewSwitch
      value={view}
      hasNoMap={hasNoMap}
      onChange={(chosen) => setView(chosen === 'table' ? chosen : undefined)}
    />
  );
  const isEmpty = points.length === 0 && result.status === 'ready';
  const empty = (
    <StateView kind="empty" title={t('trail.noPositions.title')} text={t('trail.noPositions.text')} />
  );
  const panel = (
    <TrailPanel
      {...{ card, result, totals, stops, visits, day, today, selected }}
      onDay={(chosen) => {
        setSelected(undefined);
        setDay(chosen === today ? undefined : chosen);
      }}
      onSelect={show}
      className={cn(isNarrow ? 'border-t border-line' : 'w-96 shrink-0 border-r border-line')}
    />
  );
  return (
    <div
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
            onFailed={() => setHasNoMap(true)}
            className={isNarrow ? 'h-[45dvh]' : 'flex-1'}
          >
            <div className="absolute top-4 left-4 z-10">{switcher}</div>
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
              {hasNoMap && <Note tone="info">{t('noMap')}</Note>}
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
