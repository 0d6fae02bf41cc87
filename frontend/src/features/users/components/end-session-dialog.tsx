import { useTranslation } from 'react-i18next';
import { deviceName } from '@/sessions/device-name';
import type { Session } from '@/sessions/queries';
import { useEndSession } from '@/sessions/use-end-session';
import { ConfirmDialog } from '@/ui/confirm-dialog';
import { toast } from '@/ui/toast';

interface EndSessionDialogProps {
  session: Session;
  username: string;
  onClose: () => void;
}

export function EndSessionDialog({ session, username, onClose }: EndSessionDialogProps) {
  const { t } = useTranslation('users');
  const { t: sessionText } = useTranslation('sessions');
  const endSession = useEndSession();
  const device = deviceName(session.userAgent, sessionText);

  async function end() {
    const failed = await endSession(session);
    if (failed === undefined) toast.success(t('sessions.ended', { count: 1 }));
    return failed;
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
