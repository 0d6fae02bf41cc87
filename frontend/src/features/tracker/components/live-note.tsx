import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { cn } from '@/ui/cn';
import { seenAgo } from '../freshness';
import type { LiveStatus } from '../use-live-locations';

interface LiveNoteProps {
  status: LiveStatus;
  heardAt: number | undefined;
  now: number;
  className?: string;
}

/** Whether what is shown is what is: a green dot and since when, or that it is not. */
export function LiveNote({ status, heardAt, now, className }: LiveNoteProps) {
  const { t } = useTranslation('tracker');
  const timeZone = useTimeZone();
  const isLive = status === 'live';
  const text =
    heardAt === undefined
      ? t('live.connecting')
      : t(isLive ? 'live.live' : 'live.notLive', {
          ago: seenAgo(heardAt, now),
          time: formatTime(heardAt, timeZone),
        });
  return (
    <p className={cn('flex items-center gap-2 text-xs text-muted tabular-nums', className)}>
      <span
        aria-hidden
        className={cn('size-2 shrink-0 rounded-full', isLive ? 'bg-chart-ok' : 'bg-chart-idle')}
      />
      {text}
    </p>
  );
}
