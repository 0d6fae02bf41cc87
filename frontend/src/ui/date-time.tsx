import { useTimeZone } from '@/data/use-time-zone';
import { formatAgo, formatDateTime } from '@/lib/dates';
import { cn } from './cn';

interface DateTimeProps {
  instant: string;
  /**
   * `ago` shows the relative time, with the date in the tooltip. `date` shows the date, with the relative time in the
   * tooltip.
   */
  show?: 'date' | 'ago';
  /** Custom date format, such as the time only. */
  format?: (instant: string, timeZone: string) => string;
  /** Makes the date not focusable, for links and list rows, where each date would be a tab stop. */
  inline?: boolean;
  className?: string;
}

/** An instant in the organization's time zone, with a tooltip on hover and focus. */
export function DateTime(props: DateTimeProps) {
  const { instant, show = 'date', format = formatDateTime, inline = false, className } = props;
  const timeZone = useTimeZone();
  const isAgo = show === 'ago';
  return (
    <time
      dateTime={instant}
      {...(isAgo ? { 'data-tip': formatDateTime(instant, timeZone) } : { 'data-tip-ago': instant })}
      // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip must be reachable by keyboard
      tabIndex={inline ? undefined : 0}
      className={cn('rounded-control tabular-nums', className)}
    >
      {isAgo ? formatAgo(instant, timeZone) : format(instant, timeZone)}
    </time>
  );
}
