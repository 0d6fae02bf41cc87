import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { formatCount } from '@/lib/numbers';
import { Button } from '@/ui/button';
import { Checkbox } from '@/ui/checkbox';
import { Dialog, DialogContent } from '@/ui/dialog';
import { DialogForm } from '@/ui/dialog-form';
import { Field } from '@/ui/field';
import { Input, Select } from '@/ui/input';
import { toast } from '@/ui/toast';
import type { UploadLog } from './queries';
import type { Corrections } from './use-corrections';

interface ReplaceDialogProps {
  log: UploadLog;
  column: number;
  find: string;
  corrections: Corrections;
  /** Called after the rows may have changed. */
  onSent: () => void;
  onClose: () => void;
}

/** Replaces a value in a column of all rows that can be corrected. */
export function ReplaceDialog({ log, corrections, onSent, onClose, ...start }: ReplaceDialogProps) {
  const { t } = useTranslation(['imports', 'common']);
  const id = useId();
  const [column, setColumn] = useState(start.column);
  const [find, setFind] = useState(start.find);
  const [value, setValue] = useState('');
  const [wholeCell, setWholeCell] = useState(false);
  const [busy, setBusy] = useState(false);

  async function replace() {
    setBusy(true);
    const changed = await corrections.replaceAll({ column, find, value, wholeCell });
    setBusy(false);
    onSent();
    if (changed === undefined) return;
    toast.success(t('correct.replace.done', { count: changed, shown: formatCount(changed) }));
    onClose();
  }

  return (
    <Dialog open onOpenChange={() => !busy && onClose()}>
      <DialogContent
        title={t('correct.replace.title')}
        description={t(log.status === 'validated' ? 'review.replaceText' : 'correct.replace.text')}
        footer={
          <>
            <Button disabled={busy} onClick={onClose}>
              {t('common:cancel')}
            </Button>
            <Button
              variant="primary"
              type="submit"
              form={id}
              disabled={busy || (find === '' && !wholeCell)}
            >
              {t('correct.replace.action')}
            </Button>
          </>
        }
      >
        <DialogForm id={id} onSubmit={replace}>
          <Field label={t('correct.replace.column')}>
            <Select value={column} onChange={({ target }) => setColumn(Number(target.value))}>
              {log.headings.map((heading, index) => (
                <option key={index} value={index}>
                  {heading || t('correct.noHeading', { column: index + 1 })}
                </option>
              ))}
            </Select>
          </Field>
          <Field label={t('correct.replace.find')}>
            <Input value={find} onChange={({ target }) => setFind(target.value)} />
          </Field>
          <Field label={t('correct.replace.value')}>
            <Input value={value} onChange={({ target }) => setValue(target.value)} />
          </Field>
          <Checkbox
            label={t('correct.replace.whole')}
            checked={wholeCell}
            onChange={({ target }) => setWholeCell(target.checked)}
          />
        </DialogForm>
      </DialogContent>
    </Dialog>
  );
}
