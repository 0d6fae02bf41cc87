import { Pause, Play, StepBack, StepForward } from 'lucide-react';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { compassPoint } from '@/lib/geo';
import { IconButton } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { cn } from '@/ui/cn';
import { Segmented } from '@/ui/segmented';
import type { TrailPoint } from '../trail/points';
import { placeAt, type Replay, REPLAY_SPEEDS, type ReplaySpeed, stepFrom } from '../trail/replay';
import type { Stop } from '../trail/stops';
import type { Visits } from '../trail/visits';
import { SpeedScrubber } from './speed-scrubber';

interface ReplayBarProps {
  points: readonly TrailPoint[];
  stops: readonly Stop[];
  visits: Visits;
  replay: Replay;
  isFollowing: boolean;
  onFollow: (isFollowing: boolean) => void;
  /** At the end of the first line. */
  tools?: ReactNode;
  className?: string;
}

/** Plays the day again: how fast, from where, and with the map behind it or not. */
export function ReplayBar(props: ReplayBarProps) {
  const { points, stops, visits, replay, isFollowing, onFollow, tools, className } = props;
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const { at, isPlaying, speed } = useSyncExternalStore(replay.subscribe, replay.get);
  const place = placeAt(points, at);
  const said = place && [
    place.speedKmh !== null && t('units.speed', { speed: Math.round(place.speedKmh) }),
    compassPoint(place.headingDeg),
    place.accuracyM !== null && `±${t('units.metres', { metres: Math.round(place.accuracyM) })}`,
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
          onClick={() => (isPlaying ? replay.pause() : replay.play())}
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
        <div className="ml-auto flex items-center gap-3">
          <Checkbox label={t('replay.follow')} checked={isFollowing} onChange={({ target }) => onFollow(target.checked)} />
          {tools}
        </div>
      </div>
      <SpeedScrubber {...{ points, stops, visits, replay }} />
    </section>
  );
}
