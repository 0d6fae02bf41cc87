import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { toast } from '@/ui/toast';
import { pairDeviceMutation } from './queries';

/** The device leaves the list of those without a driver. */
const context = { additionalTypenames: ['UnpairedDevice'] };

/** Gives a device to a driver. */
export function usePairDevice(uniqueId: string) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(pairDeviceMutation);
  const [failure, setFailure] = useState<AppError>();

  async function pair(driverId: string) {
    setFailure(undefined);
    const { data, error } = await execute({ input: { uniqueId, driverId } }, context);
    if (data) toast.success(t('pairing.done', { uniqueId, name: data.pairDevice.name }));
    else setFailure(normalizeError(error));
  }

  return { failure, pair };
}
