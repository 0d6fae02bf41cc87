import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';

export function When({ instant }: { instant: string }) {
  const timeZone = useTimeZone();
  return (
    <time
      dateTime={instant}
      title={formatAgo(instant)}
      className="whitespace-nowrap tabular-nums"
    >
      {formatDateTime(instant, timeZone)}
    </time>
  );
}
