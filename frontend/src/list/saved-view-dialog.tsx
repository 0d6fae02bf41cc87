import { type ReactNode, useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { type AppError, errorText } from '@/data/errors';
import { Button } from '@/ui/button';
import { Dialog, DialogContent } from '@/ui/dialog';
import { DialogForm } from '@/ui/dialog-form';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Note } from '@/ui/note';

interface Props {
  title: string;
  description?: ReactNode;
  /** The current name when renaming. */
  name?: string;
  /** If it returns an error, the dialog shows it and stays open. */
  onSave: (name: string) => Promise<AppError | undefined>;
  onClose: () => void;
}

/** Asks for the name of what is saved: a view, a query or a mapping. */
export function SavedViewDialog({ title, description, name = '', onSave, onClose }: Props) {
  const { t } = useTranslation(['list', 'common']);
  const form = useId();
  const [text, setText] = useState(name);
  const [wrong, setWrong] = useState<string>();
  const [failure, setFailure] = useState<string>();
  const [isBusy, setBusy] = useState(false);

  async function save() {
    setFailure(undefined);
    const wanted = text.trim();
    setWrong(wanted ? undefined : t('savedViews.nameNeeded'));
    if (!wanted) return;
    setBusy(true);
    const failed = await onSave(wanted);
    setBusy(false);
    if (!failed) {
      onClose();
      return;
    }
    const ofName = failed.fields['name']?.join(' ');
    setWrong(ofName);
    if (!ofName) setFailure(errorText(failed));
  }

  return (
    <Dialog open onOpenChange={() => !isBusy && onClose()}>
      <DialogContent
        title={title}
        description={description}
        footer={
          <>
            <Button disabled={isBusy} onClick={onClose}>
              {t('cancel', { ns: 'common' })}
            </Button>
            <Button type="submit" form={form} variant="primary" disabled={isBusy}>
              {t(isBusy ? 'savedViews.saving' : 'savedViews.save')}
            </Button>
          </>
        }
      >
        <DialogForm id={form} onSubmit={save}>
          {failure !== undefined && (
            <Note tone="bad" role="alert">
              {failure}
            </Note>
          )}
          <Field label={t('savedViews.name')} error={wrong} required>
            <Input
              value={text}
              autoComplete="off"
              onChange={({ target }) => setText(target.value)}
            />
          </Field>
        </DialogForm>
      </DialogContent>
    </Dialog>
  );
}
