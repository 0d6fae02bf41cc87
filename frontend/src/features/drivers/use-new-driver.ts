import { useRef, useState } from 'react';
import type { UseFormSetError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useNavigate } from 'react-router';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { showFieldErrors } from '@/form/server-errors';
import { routes } from '@/routing/routes';
import { toast } from '@/ui/toast';
import { DRIVER_FIELDS, type DriverValues, driverInput } from './driver-values';
import { NEWLY_MADE } from './newly-made';
import { createDriverMutation } from './queries';

/** Makes the driver and goes on to their page. */
export function useNewDriver(setError: UseFormSetError<DriverValues>) {
  const { t } = useTranslation('drivers');
  const navigate = useNavigate();
  const timeZone = useTimeZone();
  const [, execute] = useMutation(createDriverMutation);
  const [failure, setFailure] = useState<AppError>();
  // A second press may come before the page is gone.
  const isMade = useRef(false);

  async function save(values: DriverValues) {
    if (isMade.current) return;
    setFailure(undefined);
    const { data, error } = await execute({ input: driverInput(values, timeZone) });
    if (data) {
      isMade.current = true;
      const { driverId, name } = data.createDriver;
      toast.success(t('new.done', { name }));
      await navigate(routes.viewDriver({ driverId }), { state: NEWLY_MADE });
      return;
    }
    const failed = normalizeError(error);
    setFailure(failed);
    showFieldErrors(failed, DRIVER_FIELDS, setError);
  }

  return { failure, save };
}
