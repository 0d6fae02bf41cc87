import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { formatDateTime } from '@/lib/dates';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { type UserRow, updateUserStatusMutation } from '../queries';
import { useConflict } from '../use-conflict';

interface StatusDialogProps {
  user: Pick<UserRow, 'id' | 'username' | 'status' | 'version'>;
  onClose: () => void;
}

/** Disables an account, or enables a disabled one. */
export function StatusDialog({ user, onClose }: StatusDialogProps) {
  const { t } = useTranslation('users');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(updateUserStatusMutation);
  const findConflict = useConflict();
  // What was asked stays asked, also when the page around reads the account anew.
  const [{ id, username, status: before }] = useState(user);
  const version = useRef(user.version);
  const verb = before === 'disabled' ? 'enable' : 'disable';

  async function change(): Promise<string | undefined> {
    const status = verb === 'enable' ? 'active' : 'disabled';
    const { error } = await execute({ input: { id, status, version: version.current } });
    if (!error) {
      toast.success(t(`${verb}.done`, { username }));
      return undefined;
    }
    const failed = normalizeError(error);
    const conflict = await findConflict(failed, { id, version: version.current });
    if (!conflict) return errorText(failed);
    // Who asks again has read this, and means the account as it is now.
    version.current = conflict.version;
    return t('conflict.again', { by: conflict.by, at: formatDateTime(conflict.at, timeZone) });
  }

  return (
    <ConfirmDialog
      danger={verb === 'disable'}
      title={t(`${verb}.question`, { username })}
      text={t(`${verb}.text`)}
      confirm={t(`${verb}.confirm`)}
      busy={t(`${verb}.busy`)}
      onConfirm={change}
      onClose={onClose}
    />
  );
}
