import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { EditForm } from '@/form/record-form';
import { RecordLink, useRecordNavigate } from '@/list/record-link';
import { routes, useRouteParams } from '@/routing/routes';
import { PageFrame } from '@/shell/page-frame';
import { StatusChip } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { DriverState, useDriver } from './driver';
import { driverForm } from './driver-form';
import { type Driver, driverVersionQuery, updateDriverMutation } from './queries';

export default function EditDriverPage() {
  const { driverId } = useRouteParams('editDriver');
  const result = useDriver(driverId);
  return (
    <PageFrame>
      <DriverState driverId={driverId} result={result}>
        {(driver) => (
          <>
            <div className="mb-4 flex min-h-8 flex-wrap items-center gap-x-3 gap-y-2">
              <h2 dir="auto" className="text-xl font-semibold wrap-anywhere">
                <RecordLink
                  to={routes.viewDriver({ driverId: driver.driverId })}
                  className="hover:underline"
                >
                  {driver.name}
                </RecordLink>
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

interface EditDriverFormProps {
  driver: Driver;
  /** Reloads the driver. */
  onReload: () => void;
}

function EditDriverForm({ driver, onReload }: EditDriverFormProps) {
  const { t } = useTranslation('drivers');
  const navigate = useRecordNavigate();
  const [, execute] = useMutation(updateDriverMutation);
  const { driverId } = driver;
  return (
    <EditForm
      definition={driverForm}
      record={driver}
      versionQuery={driverVersionQuery}
      recordKey={{ driverId }}
      save={(input, { version }) => execute({ input: { ...input, driverId, version } })}
      onSaved={(_, { name }) => {
        toast.success(t('edit.done', { name }));
        return () => navigate(routes.viewDriver({ driverId }));
      }}
      onReload={onReload}
      cancelTo={routes.viewDriver({ driverId })}
    />
  );
}
