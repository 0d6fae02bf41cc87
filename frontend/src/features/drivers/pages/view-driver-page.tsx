import { MapPin, Pencil } from 'lucide-react';
import { useTranslation } from 'react-i18next';
import { Link, useLocation } from 'react-router';
import { WRITE_ROLES } from '@/auth/roles';
import { useAuth } from '@/auth/use-auth';
import { useRouteParams } from '@/routing/route-params';
import { routes } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { Button } from '@/ui/button';
import { StatusChip } from '@/ui/status-chip';
import { AccessPanel } from '../components/access-panel';
import { ActivityPanel } from '../components/activity-panel';
import { DevicesPanel } from '../components/devices-panel';
import { DriverFacts } from '../components/driver-facts';
import { DriverState } from '../components/driver-state';
import { PinNote } from '../components/pin-note';
import { PositionPanel } from '../components/position-panel';
import { TodayPanel } from '../components/today-panel';
import { isNewlyMade } from '../newly-made';
import { useDriver } from '../use-driver';

/** Where the driver is changes without anybody doing something. */
const REREAD_MS = 30_000;

export default function ViewDriverPage() {
  const { t } = useTranslation('drivers');
  const { hasRole } = useAuth();
  const { state } = useLocation();
  const { driverId } = useRouteParams('viewDriver');
  const result = useDriver(driverId, REREAD_MS);
  return (
    <PageFrame>
      <DriverState driverId={driverId} result={result}>
        {(driver) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 className="text-xl font-semibold wrap-anywhere">{driver.name}</h2>
              <span className="text-sm text-muted tabular-nums">{driver.driverId}</span>
              <StatusChip kind="driver" status={driver.status} size={24} />
              <div className="ml-auto flex gap-2 max-md:ml-0">
                <Button asChild icon={MapPin}>
                  <Link to={routes.driverTracker({ driverId: driver.driverId })}>
                    {t('menu.track')}
                  </Link>
                </Button>
                {hasRole(WRITE_ROLES) && (
                  <Button asChild icon={Pencil}>
                    <Link to={routes.editDriver({ driverId: driver.driverId })}>
                      {t('edit.verb')}
                    </Link>
                  </Button>
                )}
              </div>
            </div>
            {isNewlyMade(state) && <PinNote username={driver.username} />}
            {/* Another driver has dialogs of their own. */}
            <div
              key={driver.driverId}
              className="grid items-start gap-4 lg:grid-cols-[minmax(0,1fr)_340px] xl:grid-cols-[minmax(0,1fr)_372px]"
            >
              <div className="flex min-w-0 flex-col gap-4">
                <DriverFacts driver={driver} />
                <TodayPanel driverId={driver.driverId} />
                <ActivityPanel driver={driver} />
              </div>
              <div className="flex min-w-0 flex-col gap-4">
                <AccessPanel driver={driver} />
                <PositionPanel driver={driver} />
                <DevicesPanel driver={driver} />
              </div>
            </div>
          </>
        )}
      </DriverState>
    </PageFrame>
  );
}
