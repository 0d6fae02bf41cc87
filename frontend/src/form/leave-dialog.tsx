import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';

interface LeaveDialogProps {
  title: string;
  text: string;
  onAnswer: (isLeaving: boolean) => void;
}

/** Asks whether to leave although something would be lost. */
export function LeaveDialog({ title, text, onAnswer }: LeaveDialogProps) {
  const { t } = useTranslation('form');
  return (
    <Dialog open onOpenChange={() => onAnswer(false)}>
      <DialogContent
        role="alertdialog"
        title={title}
        description={text}
        footer={
          <>
            <Button onClick={() => onAnswer(false)}>{t('unsaved.stay')}</Button>
            <Button variant="danger" onClick={() => onAnswer(true)}>
              {t('unsaved.leave')}
            </Button>
          </>
        }
      />
    </Dialog>
  );
}
