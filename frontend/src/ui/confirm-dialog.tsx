import { type ReactNode, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from './button';
import { Dialog, DialogContent } from './dialog';
import { Note } from './note';

interface ConfirmDialogProps {
  title: ReactNode;
  text: ReactNode;
  /** The verb, and what the button says while it happens. */
  confirm: string;
  busy: string;
  danger?: boolean;
  /** Answers what went wrong, which keeps the question open. */
  onConfirm: () => Promise<string | undefined>;
  onClose: () => void;
}

/** Asks before something that cannot be taken back. Drawn only while the question is open. */
export function ConfirmDialog(props: ConfirmDialogProps) {
  const { title, text, confirm, busy, danger = false, onConfirm, onClose } = props;
  const { t } = useTranslation('common');
  const [isBusy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string>();

  async function run() {
    if (isBusy) return;
    setBusy(true);
    setFailure(undefined);
    const failed = await onConfirm();
    setBusy(false);
    if (failed === undefined) onClose();
    else setFailure(failed);
  }

  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        role="alertdialog"
        title={title}
        description={text}
        footer={
          <>
            <Button aria-disabled={isBusy || undefined} onClick={() => !isBusy && onClose()}>
              {t('cancel')}
            </Button>
            <Button
              variant={danger ? 'danger' : 'primary'}
              // Not disabled, which would drop the focus out of the question.
              aria-disabled={isBusy || undefined}
              onClick={() => void run()}
            >
              {isBusy ? busy : confirm}
            </Button>
          </>
        }
      >
        {failure !== undefined && (
          <Note tone="bad" role="alert">
            {failure}
          </Note>
        )}
      </DialogContent>
    </Dialog>
  );
}
