import { useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { Field } from '@/ui/field';
import { Note } from '@/ui/note';
import { Textarea } from '@/ui/textarea';

interface EditDialogProps {
  payload: string;
  /** Answers what went wrong, which keeps the dialog open. */
  onResend: (payload: string) => Promise<string | undefined>;
  onClose: () => void;
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

/** The message as it will be sent instead of the original. */
export function EditDialog({ payload, onResend, onClose }: EditDialogProps) {
  const { t } = useTranslation(['dead-letters', 'common']);
  const [text, setText] = useState(() =>
    isObject(payload) ? JSON.stringify(JSON.parse(payload), undefined, 2) : payload,
  );
  const [isWrong, setWrong] = useState(false);
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function send() {
    if (isBusy) return;
    if (!isObject(text)) {
      setWrong(true);
      return;
    }
    setBusy(true);
    setFailure(await onResend(text));
    setBusy(false);
  }

  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        title={t('edit.title')}
        description={t('edit.text')}
        width={640}
        staysOpen
        footer={
          <>
            <Button onClick={() => !isBusy && onClose()}>{t('cancel', { ns: 'common' })}</Button>
            <Button variant="primary" aria-disabled={isBusy || undefined} onClick={() => void send()}>
              {t('edit.verb')}
            </Button>
          </>
        }
      >
        {failure !== undefined && (
          <Note tone="bad" role="alert" className="mb-3">
            {failure}
          </Note>
        )}
        <Field label={t('letter.body')} error={isWrong ? t('edit.wrong') : undefined} required>
          <Textarea
            value={text}
            rows={12}
            spellCheck={false}
            className="font-mono text-xs"
            onChange={({ target }) => {
              setText(target.value);
              setWrong(false);
            }}
          />
        </Field>
      </DialogContent>
    </Dialog>
  );
}
