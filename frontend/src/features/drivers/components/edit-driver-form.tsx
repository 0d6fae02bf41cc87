import { useForm } from 'react-hook-form';
import { useTimeZone } from '@/data/use-time-zone';
import { PageForm } from '@/form/page-form';
import { useBase } from '@/form/use-base';
import { routes } from '@/routing/routes';
import { driverValues } from '../driver-values';
import type { Driver } from '../queries';
import { useDriverLabels } from '../use-driver-labels';
import { useSaveDriver } from '../use-save-driver';
import { DriverFields } from './driver-fields';

interface EditDriverFormProps {
  driver: Driver;
  /** Reads the driver anew. */
  onReload: () => void;
}

export function EditDriverForm({ driver, onReload }: EditDriverFormProps) {
  const timeZone = useTimeZone();
  const { driverId } = driver;
  const form = useForm({ defaultValues: driverValues(driver, timeZone) });
  const { failure, conflict, save, forget } = useSaveDriver(driverId, form.setError);
  const labels = useDriverLabels();
  const base = useBase(driver, form, (row) => driverValues(row, timeZone));

  return (
    <PageForm
      form={form}
      labels={labels}
      failure={failure}
      conflict={conflict}
      onReload={() => {
        forget();
        onReload();
      }}
      onSubmit={(values) => save(base, values)}
      cancelTo={routes.viewDriver({ driverId })}
      className="max-w-[720px]"
    >
      <DriverFields form={form} />
    </PageForm>
  );
}
