import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { deviceName } from '@/sessions/device-name';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';
import { endSessionMutation, type UserSession } from '../queries';

interface EndSessionDialogProps {
  session: UserSession;
  username: string;
  onClose: () => void;
}

// The answer holds a number alone, yet the list of sessions is another one now.
const context = { additionalTypenames: ['Session'] };

export function EndSessionDialog({ session, username, onClose }: EndSessionDialogProps) {
  const { t } = useTranslation('users');
  const { t: sessionText } = useTranslation('sessions');
  const [, execute] = useMutation(endSessionMutation);
  const device = deviceName(session.userAgent, sessionText);

  async function end() {
    const { error } = await execute({ input: { id: session.id } }, context);
    if (error) return errorText(normalizeError(error));
    toast.success(t('sessions.ended', { count: 1 }));
    return undefined;
  }

  return (
    <ConfirmDialog
      danger
      title={t('sessions.endQuestion')}
      text={t('sessions.endText', { username, device, address: session.address })}
      confirm={t('sessions.endConfirm')}
      busy={t('sessions.ending')}
      onConfirm={end}
      onClose={onClose}
    />
  );
}
