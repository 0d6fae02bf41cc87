import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { StatusChip } from '@/ui/status-chip';
import type { TrailDelivery } from '../queries';

/** Deliveries of one place: each by its document, customer and outcome. */
export function StopDeliveries({ deliveries }: { deliveries: readonly TrailDelivery[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {deliveries.map(({ id, customername, deliverystatus }) => (
        <li key={id} className="text-sm">
          <p className="flex items-baseline gap-2">
            <Link
              to={routes.viewDelivery({ deliveryId: id })}
              className="shrink-0 font-medium text-accent tabular-nums hover:underline"
            >
              {id}
            </Link>
            <span className="min-w-0 truncate text-muted">{customername}</span>
          </p>
          <StatusChip kind="delivery" status={deliverystatus} className="mt-0.5" />
        </li>
      ))}
    </ul>
  );
}
