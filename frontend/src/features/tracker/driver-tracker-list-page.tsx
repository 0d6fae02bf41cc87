import {
  type PointerEvent,
  type ReactNode,
  useCallback,
  useMemo,
  useRef,
  useState,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useLocation } from 'react-router';
import { normalizeError } from '@/data/errors';
import { QueryFailure } from '@/data/query-state';
import { useTimeZone } from '@/data/use-time-zone';
import { startOfDay } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { Note } from '@/ui/note';
import { pageHeading, useFocusFallback } from '@/ui/use-focus-fallback';
import { useNarrowScreen } from '@/ui/use-narrow-screen';
import { quickSearchText } from '@/shell/quick-search-address';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import { byState, countStates, driversOf, matching, quietBefore } from './choose-drivers';
import { DriverCard } from './driver-card';
import { DriverList, DriverListState, DriverSearch, TrackerTable } from './driver-list';
import { StateFilter } from './driver-state';
import { type DriverState, driverState, useFreshness, useNow, useToday } from './freshness';
import { LiveNote, LostBanner, useLiveLocations } from './live-locations';
import type { Located } from './location-store';
import { TrackerMap } from './tracker-map';
import { useDriverDays } from './use-driver-days';
import { useDriversOfDelivery } from './use-drivers-of-delivery';
import { MapFailureNote, useSearchParam, useTrackerView, ViewSwitch } from './view-switch';

const SEARCH = { key: 'name', route: 'driverTrackerList' } as const;

/**
 * Filters drivers by quick search, search box and state. An offline driver without a position today is hidden unless
 * requested or found by a search. The selected driver always stays.
 */
function useShownDrivers(all: readonly Located[], now: number, selected: string | undefined) {
  const { search } = useLocation();
  const [text, setText] = useState('');
  const [state, setState] = useState<DriverState>();
  const freshness = useFreshness();
  const named = quickSearchText(search, SEARCH);
  const wanted = text.trim();
  const [withQuiet, setWithQuiet] = useState(false);
  const timeZone = useTimeZone();
  const today = useToday(timeZone);
  const ofDelivery = useDriversOfDelivery(wanted, today, timeZone);
  const startOfToday = useMemo(() => startOfDay(today, timeZone).getTime(), [today, timeZone]);
  const since = quietBefore(now, startOfToday, freshness.staleMs);
  const isSearch = named !== '' || wanted !== '';
  const quiet = useMemo(
    () => (isSearch ? 0 : all.filter(({ at }) => at < since).length),
    [isSearch, all, since],
  );
  const candidates = useMemo(
    () =>
      isSearch || withQuiet ? all : all.filter(({ driverId, at: seen }) => seen >= since || driverId === selected),
    [isSearch, withQuiet, all, since, selected],
  );
  const found = useMemo(
    () => matching(candidates, { named, text: wanted, withDelivery: ofDelivery.ids }),
    [candidates, named, wanted, ofDelivery.ids],
  );
  // Those of all candidates, so that progress is not read again for each letter of a search.
  const withProgress = useMemo(() => driversOf(candidates), [candidates]);
  const counts = useMemo(() => countStates(found, now, freshness), [found, now, freshness]);
  // Without a state filter, ignore the time, so that the list does not change every second.
  const at = state === undefined ? 0 : now;
  const drivers = useMemo(
    () =>
      state === undefined
        ? found
        : found.filter(({ position, at: seen }) => driverState(position, seen, at, freshness) === state),
    [found, state, at, freshness],
  );
  // Keeps the same array while the order is unchanged, so that the list does not rerender.
  const sorted = byState(drivers, now, freshness);
  const [last, setLast] = useState(sorted);
  const isSame =
    sorted.length === last.length && sorted.every((driver, index) => driver === last[index]);
  if (!isSame) setLast(sorted);
  return {
    drivers,
    sorted: isSame ? last : sorted,
    withProgress,
    counts,
    text,
    setText,
    hasMore: ofDelivery.hasMore,
    state,
    setState,
    quiet,
    withQuiet,
    setWithQuiet,
  };
}

/** How many pixels of the map the card covers, or the sheet on a phone. */
const CARD_PX = 404;
const SHEET_PX = 320;

export default function DriverTrackerListPage() {
  const { t } = useTranslation('tracker');
  const page = useFocusFallback<HTMLDivElement>(pageHeading);
  const { store, status, error, heardAt, retry } = useLiveLocations();
  const all = useSyncExternalStore(store.subscribe, store.all);
  const now = useNow();
  const isNarrow = useNarrowScreen();
  const [asked, setSelected] = useSearchParam('driver');
  const driver = asked === undefined ? undefined : store.get(asked);
  const selected = driver?.driverId;
  const shown = useShownDrivers(all, now, selected);
  const { drivers, sorted, counts, text, setText, state, setState, quiet, withQuiet } = shown;
  const days = useDriverDays(shown.withProgress);
  const { view, setView, failure, setFailure } = useTrackerView();
  const [hovered, setHovered] = useState<string>();
  const [step, setStep] = useState<SheetStep>('half');

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

  function emptyKind() {
    if (all.length === 0) return status === 'loading' ? 'loading' : 'empty';
    return quiet > 0 && !withQuiet && state === undefined ? 'quiet' : 'no-match';
  }
  const head = (
    <div className="flex shrink-0 flex-col gap-2.5 border-b border-line px-4 py-3">
      <DriverSearch value={text} onChange={setText} />
      <p role="status" className="text-xs text-muted empty:hidden">
        {shown.hasMore && t('search.hasMore')}
      </p>
      <StateFilter counts={counts} value={state} onChange={setState} />
      {quiet > 0 && (
        <Checkbox
          className="text-xs! text-muted"
          label={t('showQuiet', { count: quiet, shown: formatCount(quiet) })}
          checked={withQuiet}
          onChange={({ target }) => shown.setWithQuiet(target.checked)}
        />
      )}
    </div>
  );
  const list =
    drivers.length > 0 ? (
      <DriverList {...{ days, now, selected, hovered }} drivers={sorted} onSelect={select} onHover={setHovered} />
    ) : (
      <DriverListState kind={emptyKind()} />
    );
  const live = <LiveNote {...{ status, heardAt, now }} />;
  const lost = status === 'lost' && <LostBanner heardAt={heardAt} />;
  const clear = () => setSelected(undefined);
  const card = driver ? (
    <DriverCard driver={driver} now={now} onClose={clear} />
  ) : (
    asked !== undefined && status !== 'loading' && <MissingDriver driverId={asked} onClear={clear} />
  );
  const switcher = <ViewSwitch value={view} failure={failure} onChange={setView} />;

  return (
    <div ref={page} className="relative flex h-[calc(100dvh-var(--shell-top))] min-h-0 flex-none">
      {!isNarrow && (
        <section aria-label={t('panel')} className="flex w-80 shrink-0 flex-col border-e border-line bg-surface">
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
          onFailed={setFailure}
          covered={isNarrow ? { bottom: SHEET_PX } : { left: driver ? CARD_PX : 0 }}
          className="flex-1"
        >
          <div className="pointer-events-none absolute top-4 end-16 start-4 z-10 flex flex-col items-start gap-2 *:pointer-events-auto">
            {switcher}
            {lost}
          </div>
          {!isNarrow && card && <div className="absolute bottom-4 start-4 z-10 w-[372px]">{card}</div>}
        </TrackerMap>
      ) : (
        <div className="flex min-w-0 flex-1 flex-col bg-surface">
          <div className="flex shrink-0 flex-wrap items-center gap-3 border-b border-line px-4 py-3">
            {switcher}
            {isNarrow && live}
            {lost}
            <MapFailureNote failure={failure} onRetry={() => setView('map')} />
          </div>
          {isNarrow && head}
          <div className="flex min-h-0 flex-1 flex-col xl:flex-row">
            {drivers.length > 0 ? (
              <TrackerTable {...{ days, now, selected }} drivers={sorted} onSelect={select} />
            ) : (
              isNarrow && list
            )}
            {card && (
              <div className="max-h-[50%] w-full max-w-[404px] shrink-0 overflow-y-auto p-4 xl:max-h-none xl:border-s xl:border-line">
                {card}
              </div>
            )}
          </div>
        </div>
      )}
      {isNarrow && view === 'map' && (
        <BottomSheet label={t('panel')} top={live} step={step} onStep={setStep}>
          {driver ? (
            <div className="min-h-0 flex-1 overflow-y-auto p-3">{card}</div>
          ) : (
            <>
              {card && <div className="px-4 pb-3">{card}</div>}
              {head}
              {list}
            </>
          )}
        </BottomSheet>
      )}
    </div>
  );
}

interface MissingDriverProps {
  driverId: string;
  onClear: () => void;
}

/** Takes the place of the card if the driver in the address has no position. */
function MissingDriver({ driverId, onClear }: MissingDriverProps) {
  const { t } = useTranslation('tracker');
  const action = (
    <Button size={28} onClick={onClear}>
      {t('missing.clear')}
    </Button>
  );
  return (
    <Note role="status" title={t('missing.title', { driverId })} action={action} className="shadow-float">
      {t('missing.text')}
    </Note>
  );
}

const SHEET_STEPS = ['closed', 'half', 'full'] as const;
type SheetStep = (typeof SHEET_STEPS)[number];

const heights: Record<SheetStep, string> = {
  closed: 'h-16',
  half: 'h-1/2',
  full: 'h-[calc(100%-8px)]',
};

/** Shorter movements count as a tap. */
const DRAG_PX = 24;

interface BottomSheetProps {
  label: string;
  /** Shown even while the sheet is closed. */
  top: ReactNode;
  step: SheetStep;
  onStep: (step: SheetStep) => void;
  children: ReactNode;
}

/** A sheet over the lower part of the map on phones. It is closed, half open or fully open. */
function BottomSheet({ label, top, step, onStep, children }: BottomSheetProps) {
  const { t } = useTranslation('tracker');
  const from = useRef<number>(undefined);
  const at = SHEET_STEPS.indexOf(step);
  const next = SHEET_STEPS[(at + 1) % SHEET_STEPS.length] ?? 'half';

  function drop({ clientY }: PointerEvent) {
    const moved = from.current === undefined ? 0 : from.current - clientY;
    if (Math.abs(moved) < DRAG_PX) return;
    const target = SHEET_STEPS[Math.min(SHEET_STEPS.length - 1, Math.max(0, at + Math.sign(moved)))];
    if (target) onStep(target);
  }
  return (
    <section
      aria-label={label}
      className={cn(
        'absolute inset-x-0 bottom-0 z-10 flex flex-col rounded-t-palette border-t border-line2 bg-surface shadow-float',
        heights[step],
      )}
    >
      <button
        type="button"
        aria-label={t(`sheet.${next}`)}
        data-tip={t(`sheet.${next}`)}
        onPointerDown={({ clientY }) => (from.current = clientY)}
        onPointerUp={drop}
        onClick={({ clientY, detail }) => {
          const moved = detail === 0 || from.current === undefined ? 0 : Math.abs(from.current - clientY);
          if (moved < DRAG_PX) onStep(next);
        }}
        className="hit-target flex h-6 w-full shrink-0 touch-none items-center justify-center"
      >
        <span aria-hidden className="h-1 w-9 rounded-full bg-line2" />
      </button>
      <div className="flex h-9 shrink-0 items-center px-4">{top}</div>
      <div inert={step === 'closed'} className="flex min-h-0 flex-1 flex-col overflow-y-auto overscroll-contain">
        {children}
      </div>
    </section>
  );
}
