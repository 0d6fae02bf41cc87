import { useCallback, useMemo, useState, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-failure';
import { useNarrowScreen } from '@/list/use-narrow-screen';
import { hasWebgl } from '@/ui/map/webgl';
import { Note } from '@/ui/note';
import { driversOf } from '../choose-drivers';
import { useNow } from '../clock';
import { BottomSheet, type SheetStep } from '../components/bottom-sheet';
import { DriverCard } from '../components/driver-card';
import { DriverList } from '../components/driver-list';
import { DriverListState } from '../components/driver-list-state';
import { DriverSearch } from '../components/driver-search';
import { LiveNote } from '../components/live-note';
import { LostBanner } from '../components/lost-banner';
import { StateFilter } from '../components/state-filter';
import { TrackerMap } from '../components/tracker-map';
import { TrackerTable } from '../components/tracker-table';
import { ViewSwitch } from '../components/view-switch';
import { useDriverDays } from '../use-driver-days';
import { useLiveLocations } from '../use-live-locations';
import { useSearchParam } from '../use-search-param';
import { useShownDrivers } from '../use-shown-drivers';

/** Room that the card, and on a phone the sheet, takes of the map. */
const CARD_PX = 404;
const SHEET_PX = 320;

export default function DriverTrackerListPage() {
  const { t } = useTranslation('tracker');
  const { store, status, error, heardAt, retry } = useLiveLocations();
  const all = useSyncExternalStore(store.subscribe, store.all);
  const now = useNow();
  const isNarrow = useNarrowScreen();
  const { drivers, sorted, counts, text, setText, state, setState } = useShownDrivers(all, now);
  const days = useDriverDays(useMemo(() => driversOf(all), [all]));
  const [selected, setSelected] = useSearchParam('driver');
  const [wantedView, setView] = useSearchParam('view');
  const [hovered, setHovered] = useState<string>();
  const [step, setStep] = useState<SheetStep>('half');
  const [hasNoMap, setHasNoMap] = useState(() => !hasWebgl());

  const select = useCallback(
    (driverId: string) => {
      setSelected(driverId);
      setStep('half');
    },
    [setSelected],
  );

  if (status === 'failed' && error) {
    return <QueryFailure error={normalizeError(error)} onRetry={retry} />;
  }
  const view = hasNoMap || wantedView === 'table' ? 'table' : 'map';
  const driver = selected === undefined ? undefined : store.get(selected);

  const head = (
    <div className="flex shrink-0 flex-col gap-2.5 border-b border-line px-4 py-3">
      <DriverSearch value={text} onChange={setText} />
      <StateFilter counts={counts} value={state} onChange={setState} />
    </div>
  );
  const list =
    drivers.length > 0 ? (
      <DriverList {...{ days, now, selected, hovered }} drivers={sorted} onSelect={select} onHover={setHovered} />
    ) : (
      <DriverListState kind={all.length > 0 ? 'no-match' : status === 'loading' ? 'loading' : 'empty'} />
    );
  const live = <LiveNote {...{ status, heardAt, now }} />;
  const lost = status === 'lost' && <LostBanner heardAt={heardAt} />;
  const card = driver && <DriverCard driver={driver} now={now} onClose={() => setSelected(undefined)} />;
  const switcher = (
    <ViewSwitch
      value={view}
      hasNoMap={hasNoMap}
      onChange={(next) => setView(next === 'table' ? next : undefined)}
    />
  );

  return (
    <div className="relative flex h-[calc(100dvh-var(--shell-top))] min-h-0 flex-none">
      {!isNarrow && (
        <section aria-label={t('panel')} className="flex w-80 shrink-0 flex-col border-r border-line bg-surface">
          {head}
          {list}
          <div className="flex h-9 shrink-0 items-center border-t border-line px-4">{live}</div>
        </section>
      )}
      {view === 'map' ? (
        <TrackerMap
          {...{ store, drivers, now, selected, hovered }}
          onSelect={select}
          onHover={setHovered}
          onFailed={() => setHasNoMap(true)}
          covered={isNarrow ? { bottom: SHEET_PX } : { left: driver ? CARD_PX : 0 }}
          className="flex-1"
        >
          <div className="pointer-events-none absolute top-4 right-16 left-4 z-10 flex flex-col items-start gap-2 *:pointer-events-auto">
            {switcher}
            {lost}
          </div>
          {!isNarrow && card && <div className="absolute bottom-4 left-4 z-10 w-[372px]">{card}</div>}
        </TrackerMap>
      ) : (
        <div className="flex min-w-0 flex-1 flex-col bg-surface">
          <div className="flex shrink-0 flex-wrap items-center gap-3 border-b border-line px-4 py-3">
            {switcher}
            {isNarrow && live}
            {lost}
            {hasNoMap && <Note tone="info">{t('noMap')}</Note>}
          </div>
          {isNarrow && head}
          <div className="flex min-h-0 flex-1 flex-col xl:flex-row">
            {drivers.length > 0 ? (
              <TrackerTable {...{ days, now, selected }} drivers={sorted} onSelect={select} />
            ) : (
              isNarrow && list
            )}
            {card && (
              <div className="max-h-[50%] w-full max-w-[404px] shrink-0 overflow-y-auto p-4 xl:max-h-none xl:border-l xl:border-line">
                {card}
              </div>
            )}
          </div>
        </div>
      )}
      {isNarrow && view === 'map' && (
        <BottomSheet label={t('panel')} step={step} onStep={setStep}>
          <div className="flex h-9 shrink-0 items-center px-4">{live}</div>
          {driver ? (
            <div className="min-h-0 flex-1 overflow-y-auto p-3">{card}</div>
          ) : (
            <>
              {head}
              {list}
            </>
          )}
        </BottomSheet>
      )}
    </div>
  );
}
