import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { useSave } from '@/form/use-save';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { DRIVER_FIELDS, type DriverValues, driverInput } from './driver-values';
import { type Driver, driverVersionQuery, updateDriverMutation } from './queries';

/** Saves a driver and goes back to their page. */
export function useSaveDriver(driverId: string, setError: UseFormSetError<DriverValues>) {
  const { t } = useTranslation('drivers');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(updateDriverMutation);
  const { attempt, ...saving } = useSave({
    versionQuery: driverVersionQuery,
    fields: DRIVER_FIELDS,
    setError,
  });

  /** `base` is what the fields were filled from. */
  function save(base: Pick<Driver, 'version' | 'trackingConsentAt'>, values: DriverValues) {
    const { version, trackingConsentAt } = base;
    const input = { ...driverInput(values, timeZone, trackingConsentAt), driverId, version };
    return attempt({
      key: { driverId },
      version,
      send: () => execute({ input }),
      onSaved: async () => {
        toast.success(t('edit.done', { name: input.name }));
        await navigate(routes.viewDriver({ driverId }));
      },
    });
  }

  return { ...saving, save };
}
