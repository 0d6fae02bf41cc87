import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { showFieldErrors } from '@/form/server-errors';
import { type Conflict, useConflict } from '@/form/use-conflict';
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
  const findConflict = useConflict(driverVersionQuery);
  const [failure, setFailure] = useState<AppError>();
  const [conflict, setConflict] = useState<Conflict>();
  // A second press may come before the page is gone.
  const isSaved = useRef(false);

  function forget() {
    setFailure(undefined);
    setConflict(undefined);
  }

  /** `base` is what the fields were filled from. */
  async function save(base: Pick<Driver, 'version' | 'trackingConsentAt'>, values: DriverValues) {
    if (isSaved.current) return;
    forget();
    const { version, trackingConsentAt } = base;
    const input = { ...driverInput(values, timeZone, trackingConsentAt), driverId, version };
    const { data, error } = await execute({ input });
    if (data) {
      isSaved.current = true;
      toast.success(t('edit.done', { name: input.name }));
      await navigate(routes.viewDriver({ driverId }));
      return;
    }
    const failed = normalizeError(error);
    const found = await findConflict(failed, { driverId }, version);
    setConflict(found);
    if (found) return;
    setFailure(failed);
    showFieldErrors(failed, DRIVER_FIELDS, setError);
  }

  return { failure, conflict, save, forget };
}
