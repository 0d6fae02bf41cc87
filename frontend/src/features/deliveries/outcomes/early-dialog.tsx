import { useTranslation } from 'react-i18next';
import { formatDateTime } from '@/lib/dates';
import { ConfirmDialog } from '@/ui/dialog';

interface EarlyDialogProps {
  id: string;
  scheduledatetime: string;
  timeZone: string;
  onAnswer: (yes: boolean) => void;
}

/** Asks before a delivery is completed that has not left yet. */
export function EarlyDialog({ id, scheduledatetime, timeZone, onAnswer }: EarlyDialogProps) {
  const { t } = useTranslation('outcomes');
  return (
    <ConfirmDialog
      title={t('early.title')}
      text={t('early.text', { id, at: formatDateTime(scheduledatetime, timeZone) })}
      confirm={t('early.confirm')}
      busy={t('early.busy')}
      onConfirm={() => {
        onAnswer(true);
        return Promise.resolve(undefined);
      }}
      onClose={() => onAnswer(false)}
    />
  );
}
