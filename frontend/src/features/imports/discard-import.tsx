import { Trash2 } from 'lucide-react';
import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { errorText, normalizeError } from '@/data/errors';
import { Button, type ButtonProps } from '@/ui/button';
import { ConfirmDialog } from '@/ui/dialog';
import { cancelUploadMutation, type UploadLog } from './queries';

interface DiscardImportProps extends Pick<ButtonProps, 'size' | 'disabled'> {
  log: Pick<UploadLog, 'id' | 'filename'>;
  onDiscarded: () => void;
}

/** Discards an import that is waiting for input, after confirmation. */
export function DiscardImport({ log, onDiscarded, ...button }: DiscardImportProps) {
  const { t } = useTranslation('imports');
  const [, execute] = useMutation(cancelUploadMutation);
  const [isOpen, setOpen] = useState(false);

  async function discard() {
    const { error } = await execute({ input: { id: log.id } });
    if (error) return errorText(normalizeError(error));
    onDiscarded();
    return undefined;
  }

  return (
    <>
      <Button icon={Trash2} {...button} onClick={() => setOpen(true)}>
        {t('discard.action')}
      </Button>
      {isOpen && (
        <ConfirmDialog
          danger
          title={t('discard.question', { name: log.filename })}
          text={t('discard.text')}
          confirm={t('discard.action')}
          busy={t('discard.busy')}
          onConfirm={discard}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
