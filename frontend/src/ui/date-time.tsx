import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';
import { cn } from './cn';

interface DateTimeProps {
  instant: string;
  /** `ago` shows how long ago it was, with the date in the tooltip; otherwise the other way around. */
  show?: 'date' | 'ago';
  /** How to write the date, such as its time of day alone. */
  format?: (instant: string, timeZone: string) => string;
  /** Inside a link or a row of a list, which would get a stop of the Tab key for each date. */
  inline?: boolean;
  className?: string;
}

/** An instant in the organization's time zone, with a tooltip on hover and on focus. */
export function DateTime(props: DateTimeProps) {
  const { instant, show = 'date', format = formatDateTime, inline = false, className } = props;
  const timeZone = useTimeZone();
  const isAgo = show === 'ago';
  return (
    <time
      dateTime={instant}
      {...(isAgo ? { 'data-tip': formatDateTime(instant, timeZone) } : { 'data-tip-ago': instant })}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip has to be reachable by keys
      tabIndex={inline ? undefined : 0}
      className={cn('rounded-control tabular-nums', className)}
    >
      {isAgo ? formatAgo(instant) : format(instant, timeZone)}
    </time>
  );
}
