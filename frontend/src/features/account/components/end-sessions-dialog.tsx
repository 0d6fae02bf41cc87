import { useTranslation } from 'react-i18next';
import { deviceName } from '@/sessions/device-name';
import type { Session } from '@/sessions/queries';
import { ConfirmDialog } from '@/ui/confirm-dialog';

interface EndSessionsDialogProps {
  sessions: readonly Session[];
  onConfirm: () => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks before a session elsewhere is ended, or all of them. */
export function EndSessionsDialog({ sessions, onConfirm, onClose }: EndSessionsDialogProps) {
  const { t } = useTranslation('account');
  const { t: named } = useTranslation('sessions');
  const [first] = sessions;
  const count = sessions.length;
  const text =
    count === 1 && first
      ? t('sessions.endText', {
          device: deviceName(first.userAgent, named),
          address: first.address,
        })
      : t('sessions.endOthersText', { count });
  return (
    <ConfirmDialog
      danger
      title={t('sessions.endQuestion', { count })}
      text={text}
      confirm={t('sessions.endConfirm', { count })}
      busy={t('sessions.ending')}
      onConfirm={onConfirm}
      onClose={onClose}
    />
  );
}
