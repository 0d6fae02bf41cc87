import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';

/** How long ago; the moment itself under the mouse. */
export function LastSeen({ instant }: { instant: string }) {
  const timeZone = useTimeZone();
  return (
    <time dateTime={instant} title={formatDateTime(instant, timeZone)} className="tabular-nums">
      {formatAgo(instant)}
    </time>
  );
}
