import { Link } from 'react-router';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { StatusChip } from '@/ui/status-chip';
import { DriverState } from '../components/driver-state';
import { EditDriverForm } from '../components/edit-driver-form';
import { useDriver } from '../use-driver';

export default function EditDriverPage() {
  const { driverId } = useRouteParams('editDriver');
  const result = useDriver(driverId);
  return (
    <PageFrame>
      <DriverState driverId={driverId} result={result}>
        {(driver) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="text-xl font-semibold wrap-anywhere">
                <Link
                  to={routes.viewDriver({ driverId: driver.driverId })}
                  className="hover:underline"
                >
                  {driver.name}
                </Link>
              </h2>
              <span className="text-sm text-muted tabular-nums">{driver.driverId}</span>
              <StatusChip kind="driver" status={driver.status} size={24} />
            </div>
            <EditDriverForm key={driver.driverId} driver={driver} onReload={result.retry} />
          </>
        )}
      </DriverState>
    </PageFrame>
  );
}
