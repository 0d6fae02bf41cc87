import { useTranslation } from 'react-i18next';
import { Tag } from '@/ui/tag';

interface Assigned {
  driverId: string | null;
  driver?: { name: string } | null;
}

/** Name of the assigned driver with the ID after it, or a mark on an ID that no driver has. */
export function DriverName({ delivery }: { delivery: Assigned }) {
  const { t } = useTranslation('deliveries');
  const { driverId, driver } = delivery;
  const name = driver?.name;
  return (
    <span className="tabular-nums">
      {name ? (
        <>
          {name} <span className="text-muted">{driverId}</span>
        </>
      ) : (
        driverId
      )}
      {driverId && driver === null && (
        <Tag tone="warn" className="ml-1.5">
          {t('driverNotKnown')}
        </Tag>
      )}
    </span>
  );
}
