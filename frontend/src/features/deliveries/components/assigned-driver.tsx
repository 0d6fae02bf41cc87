import { useTranslation } from 'react-i18next';
import { Link } from 'react-router';
import { routes } from '@/routing/routes';
import { StatusChip } from '@/ui/status-chip';
import { Tag } from '@/ui/tag';
import type { Delivery } from '../delivery-queries';

/** Whose delivery it is, and the way to them; that they may not work is said as well. */
export function AssignedDriver({ delivery }: { delivery: Pick<Delivery, 'driverId' | 'driver'> }) {
  const { t } = useTranslation('deliveries');
  const { driverId, driver } = delivery;
  // An import may name somebody nobody has made yet.
  if (!driver)
    return (
      <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
        {driverId}
        {driverId && <Tag tone="warn">{t('driverNotKnown')}</Tag>}
      </span>
    );
  return (
    <>
      <Link
        to={routes.viewDriver({ driverId: driver.driverId })}
        className="text-accent hover:underline"
      >
        {driver.driverId}
      </Link>
      <span className="block text-xs text-muted">{driver.name}</span>
      {driver.status === 'blocked' && (
        <StatusChip kind="driver" status={driver.status} className="mt-1" />
      )}
    </>
  );
}
