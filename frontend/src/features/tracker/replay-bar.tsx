import { Pause, Play, StepBack, StepForward } from 'lucide-react';
import {
  type KeyboardEvent,
  type PointerEvent,
  type ReactNode,
  useMemo,
  useRef,
  useSyncExternalStore,
} from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { compassPoint } from '@/lib/geo';
import { usePageKeys } from '@/list/list-shortcuts';
import { IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import { Segmented } from '@/ui/tabs';
import { statusLook } from '@/ui/status-chip';
import type { Tone } from '@/ui/tag';
import { type Stop, type TrailPoint, type Visits, worstStatus } from './trail/points';
import {
  areaPath,
  hourMarks,
  placeAt,
  type Replay,
  REPLAY_SPEEDS,
  type ReplaySpeed,
  speedChart,
  stepFrom,
} from './trail/replay';

const SLICES = 480;
/** Size of the SVG view box, which is stretched to fit. */
const [WIDE, HIGH] = [960, 48];
const MINUTE = 60_000;

const flags: Record<Tone, string> = {
  ok: 'bg-ok text-surface',
  warn: 'bg-warn text-surface',
  info: 'bg-info text-surface',
  bad: 'bg-bad text-surface',
  idle: 'bg-idle text-surface',
  accent: 'bg-accent text-accent-fg',
};

interface SpeedScrubberProps {
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
  replay: Replay;
}

/** Speed chart of the day with stops and deliveries; dragging along it moves the replay. */
function SpeedScrubber({ points, stops, visits, replay }: SpeedScrubberProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const box = useRef<HTMLDivElement>(null);
  const { at } = useSyncExternalStore(replay.subscribe, replay.get);
  const from = points[0]?.at ?? 0;
  const to = points.at(-1)?.at ?? 0;
  const chart = useMemo(() => speedChart(points, from, to, SLICES), [points, from, to]);
  const path = useMemo(() => areaPath(chart, WIDE, HIGH), [chart]);
  const marks = useMemo(() => hourMarks(from, to, 10), [from, to]);
  const length = Math.max(1, to - from);
  const share = (time: number) => `${(Math.min(1, Math.max(0, (time - from) / length)) * 100).toFixed(3)}%`;
  const place = placeAt(points, at);
  const speed =
    place === undefined || place.speedKmh === null ? t('replay.noSpeed') : t('units.speed', { speed: Math.round(place.speedKmh) });

  const pins = [...visits.byStop.values(), visits.elsewhere].flat().flatMap((delivery) => {
    const time = delivery.outcomeOccurredAt ? Date.parse(delivery.outcomeOccurredAt) : Number.NaN;
    if (!(time >= from && time <= to)) return [];
    return [{ id: delivery.id, time, tone: statusLook({ kind: 'delivery', status: delivery.deliverystatus }).tone }];
  });

  function move({ clientX, buttons, type }: PointerEvent) {
    const area = box.current?.getBoundingClientRect();
    if (!area || area.width === 0 || (type === 'pointermove' && buttons === 0)) return;
    replay.seek(from + ((clientX - area.left) / area.width) * length);
  }
  function onKeyDown(event: KeyboardEvent) {
    const steps: Record<string, number> = {
      ArrowRight: MINUTE,
      ArrowUp: MINUTE,
      ArrowLeft: -MINUTE,
      ArrowDown: -MINUTE,
      PageUp: 15 * MINUTE,
      PageDown: -15 * MINUTE,
      Home: from - at,
      End: to - at,
    };
    const step = steps[event.key];
    if (step === undefined) return;
    event.preventDefault();
    replay.seek(at + step);
  }

  return (
    <div className="flex gap-2 text-caps text-muted tabular-nums">
      <div aria-hidden className="flex h-12 w-6 shrink-0 flex-col justify-between self-start pt-5 text-end leading-none">
        <span>{chart.top}</span>
      </div>
      <div className="relative min-w-0 flex-1 pt-5">
        <div aria-hidden className="absolute inset-x-0 top-0 h-5">
          {stops.map((stop) => {
            const status = worstStatus(visits.byStop.get(stop.number) ?? []);
            const tone = status ? statusLook({ kind: 'delivery', status }).tone : 'idle';
            return (
              <span
                key={stop.number}
                style={{ left: share(stop.from) }}
                className={cn(
                  'absolute flex size-4 -translate-x-1/2 items-center justify-center rounded-full text-[9px] font-semibold',
                  flags[tone],
                )}
              >
                {stop.number}
              </span>
            );
          })}
        </div>
        <div
          ref={box}
          role="slider"
          tabIndex={0}
          aria-label={t('replay.scrubber')}
          aria-valuemin={from}
          aria-valuemax={Math.max(from, to)}
          aria-valuenow={Math.round(Math.min(Math.max(at, from), Math.max(from, to)))}
          aria-valuetext={t('replay.now', { time: formatTime(at, timeZone), speed })}
          onPointerDown={(event) => {
            event.currentTarget.setPointerCapture(event.pointerId);
            move(event);
          }}
          onPointerMove={move}
          onKeyDown={onKeyDown}
          className="relative h-12 cursor-ew-resize touch-none border-b border-line2"
        >
          <svg aria-hidden viewBox={`0 0 ${WIDE} ${HIGH}`} preserveAspectRatio="none" className="absolute inset-0 size-full">
            <path d={path} vectorEffect="non-scaling-stroke" className="fill-accent-soft stroke-chart-accent" strokeWidth="1.25" />
          </svg>
          {stops.map((stop) => (
            <span
              key={stop.number}
              aria-hidden
              style={{ left: share(stop.from), width: `calc(${share(stop.to)} - ${share(stop.from)})` }}
              className="absolute inset-y-0 border-s border-line2 bg-hover/60"
            />
          ))}
          {pins.map(({ id, time, tone }) => (
            <span
              key={id}
              aria-hidden
              style={{ left: share(time) }}
              className={cn('absolute bottom-0 size-2 -translate-x-1/2 rotate-45 rounded-[1px]', flags[tone])}
            />
          ))}
          <span aria-hidden style={{ left: share(at) }} className="absolute inset-y-0 w-px bg-accent">
            <span className="absolute -bottom-1.5 left-1/2 size-3 -translate-x-1/2 rounded-full border-2 border-accent bg-surface" />
          </span>
        </div>
        <div aria-hidden className="relative h-5">
          {marks.map((mark) => (
            <span key={mark} style={{ left: share(mark) }} className="absolute top-1.5 -translate-x-1/2 whitespace-nowrap">
              {formatTime(mark, timeZone).replace(':00', '')}
            </span>
          ))}
        </div>
      </div>
    </div>
  );
}

interface ReplayBarProps {
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
  replay: Replay;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  /** Placed at the end of the first line. */
  tools?: ReactNode;
  className?: string;
}

/** Replay controls: speed, position, and whether the map follows. */
export function ReplayBar(props: ReplayBarProps) {
  const { points, stops, visits, replay, isFollowing, onFollow, tools, className } = props;
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const { at, isPlaying, speed } = useSyncExternalStore(replay.subscribe, replay.get);
  const play = () => (isPlaying ? replay.pause() : replay.play());
  const hasKeys = usePageKeys({ p: play });
  const place = placeAt(points, at);
  const said = place && [
    place.speedKmh !== null && t('units.speed', { speed: Math.round(place.speedKmh) }),
    compassPoint(place.headingDeg),
    place.accuracyM !== null && `±${t('units.meters', { meters: Math.round(place.accuracyM) })}`,
  ];
  return (
    <section aria-label={t('replay.label')} className={cn('flex flex-col gap-2 border-t border-line bg-surface px-4 py-3', className)}>
      <div className="flex flex-wrap items-center gap-2">
        <IconButton
          variant="default"
          icon={StepBack}
          label={t('replay.back')}
          onClick={() => replay.seek(stepFrom(points, at, -1))}
        />
        <IconButton
          variant="primary"
          icon={isPlaying ? Pause : Play}
          label={t(isPlaying ? 'replay.pause' : 'replay.play')}
          shortcut={hasKeys ? 'p' : undefined}
          onClick={play}
        />
        <IconButton
          variant="default"
          icon={StepForward}
          label={t('replay.forward')}
          onClick={() => replay.seek(stepFrom(points, at, 1))}
        />
        <Segmented
          label={t('replay.speed')}
          value={String(speed)}
          onChange={(next) => replay.setSpeed(Number(next) as ReplaySpeed)}
          segments={REPLAY_SPEEDS.map((each) => ({ value: String(each), label: `${each}×` }))}
        />
        <p className="flex items-baseline gap-2 text-sm whitespace-nowrap tabular-nums">
          <span className="font-medium">{formatTime(at, timeZone)}</span>
          <span className="text-xs text-muted max-sm:hidden">{said && said.filter(Boolean).join(' · ')}</span>
        </p>
        <div className="ms-auto flex items-center gap-3">
          <Checkbox label={t('replay.follow')} checked={isFollowing} onChange={({ target }) => onFollow(target.checked)} />
          {tools}
        </div>
      </div>
      <SpeedScrubber {...{ points, stops, visits, replay }} />
    </section>
  );
}
