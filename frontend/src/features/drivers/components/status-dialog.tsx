import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { type DriverRow, updateDriverStatusMutation } from '../queries';
import { OpenDeliveriesLink } from './open-deliveries-link';

interface StatusDialogProps {
  driver: Pick<DriverRow, 'driverId' | 'name' | 'status'>;
  onClose: () => void;
}

/** The account of the driver and their log change with the access. */
const context = { additionalTypenames: ['DriverAccount', 'DriverLog'] };

/** Blocks a driver, or permits a blocked one. */
export function StatusDialog({ driver, onClose }: StatusDialogProps) {
  const { t } = useTranslation('drivers');
  const [, execute] = useMutation(updateDriverStatusMutation);
  // What was asked stays asked, also when the page around reads the driver anew.
  const [{ driverId, name, status: before }] = useState(driver);
  const verb = before === 'blocked' ? 'permit' : 'block';

  async function change(): Promise<string | undefined> {
    const status = verb === 'permit' ? 'active' : 'blocked';
    // Without a version: who blocks a driver means it, whatever else was changed meanwhile.
    const { error } = await execute({ input: { driverId, status } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t(`${verb}.done`, { name }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger={verb === 'block'}
      title={t(`${verb}.question`, { name })}
      text={
        <>
          {t(`${verb}.text`)} {verb === 'block' && <OpenDeliveriesLink driverId={driverId} />}
        </>
      }
      confirm={t(`${verb}.confirm`)}
      busy={t(`${verb}.busy`)}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
