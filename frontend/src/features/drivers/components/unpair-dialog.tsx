import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { type Driver, unpairDeviceMutation } from '../queries';

interface UnpairDialogProps {
  driver: Pick<Driver, 'driverId' | 'name'>;
  uniqueId: string;
  onClose: () => void;
}

/** Takes a device from its driver. */
export function UnpairDialog({ driver, uniqueId, onClose }: UnpairDialogProps) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(unpairDeviceMutation);
  const { driverId, name } = driver;

  async function unpair(): Promise<string | undefined> {
    const { error } = await execute({ input: { uniqueId, driverId } });
    if (error) return errorText(normalizeError(error));
    toast.success(t('unpair.done', { uniqueId }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('unpair.question', { uniqueId, name })}
      text={t('unpair.text')}
      confirm={t('unpair.confirm')}
      busy={t('unpair.busy')}
      onConfirm={unpair}
      onClose={onClose}
    />
  );
}
