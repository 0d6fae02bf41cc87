import { Link } from 'react-router';
import { useTimeZone } from '@/data/use-time-zone';
import { formatTime } from '@/lib/dates';
import { routes } from '@/routing/routes';
import { type DeliveryStatus, statusLook } from '@/ui/statuses';

interface CardDeliveryProps {
  /** 'Now', 'Next'. */
  label: string;
  delivery: {
    id: string;
    customername: string;
    deliverystatus: DeliveryStatus;
    scheduledatetime: string;
  };
}

/** One line about a delivery that a driver is at, or does next. */
export function CardDelivery({ label, delivery }: CardDeliveryProps) {
  const timeZone = useTimeZone();
  const { id, customername, deliverystatus, scheduledatetime } = delivery;
  const { icon: Icon } = statusLook({ kind: 'delivery', status: deliverystatus });
  return (
    <li className="flex items-center gap-2 text-sm">
      <Icon aria-hidden className="size-4 shrink-0 text-muted" />
      <span className="w-9 shrink-0 text-xs text-muted">{label}</span>
      <Link
        to={routes.viewDelivery({ deliveryId: id })}
        className="shrink-0 font-medium text-accent tabular-nums hover:underline"
      >
        {id}
      </Link>
      <span className="min-w-0 flex-1 truncate text-muted">{customername}</span>
      <time dateTime={scheduledatetime} className="shrink-0 tabular-nums">
        {formatTime(scheduledatetime, timeZone)}
      </time>
    </li>
  );
}
