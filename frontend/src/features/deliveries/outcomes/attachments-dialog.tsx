import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { RadioField } from '@/form/choice-fields';
import { SelectField, TextareaField } from '@/form/fields';
import { FormDialog } from '@/form/form-dialog';
import { PhotosField, SignatureField } from '@/domain/proof/proof-fields';
import { useAttachments } from '@/domain/proof/use-attachments';
import { Note } from '@/ui/note';
import { toast } from '@/ui/toast';
import type { ActionProps } from './dialogs';
import { filesOf, keptOf } from './proofs';
import { atMost, limits } from '@/form/limits';

const KINDS = ['photo', 'document'] as const;

interface Values {
  kind: (typeof KINDS)[number];
  itemNumber: string;
  note: string;
}

/** Adds attachments to the current attempt. After an outcome they are marked as added later. */
export function AttachmentsDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation(['outcomes', 'proof']);
  const attachments = useAttachments(delivery.id, filesOf(delivery));
  const form = useForm<Values>({ defaultValues: { kind: 'photo', itemNumber: '', note: '' } });
  const { errors, isSubmitting } = form.formState;
  const kind = useWatch({ control: form.control, name: 'kind' });
  const { entries } = attachments;
  const isLater = delivery.deliverystatus !== 'Pending';
  const isChosen = entries.some(({ state }) => state !== 'kept');

  async function submit({ itemNumber, note }: Values) {
    const added = await attachments.send({
      itemNumber: itemNumber || null,
      note: note.trim() || null,
    });
    if (!added) return;
    toast.success(t('attachments.done', { count: added.length }));
    onReload();
    onClose();
  }

  return (
    <FormDialog
      form={form}
      title={t('attachments.title', { id: delivery.id })}
      submit={t('attachments.submit')}
      busy={t('attachments.busy')}
      disabled={!isChosen}
      failure={undefined}
      onSubmit={submit}
      onClose={onClose}
      files={
        <>
          <PhotosField attachments={attachments} kind={kind} kept={keptOf(delivery, 'photo')} busy={isSubmitting} />
          <SignatureField attachments={attachments} isKept={keptOf(delivery, 'signature') > 0} busy={isSubmitting} />
        </>
      }
    >
      {isLater && <Note>{t('attachments.later')}</Note>}
      <RadioField
        {...form.register('kind', {
          // The choice is also for the files that were chosen before it.
          onChange: () => attachments.setKind(form.getValues('kind')),
        })}
        label={t('attachments.kind')}
        error={errors.kind}
        options={KINDS.map((value) => ({ value, label: t(`kind.${value}`, { ns: 'proof' }) }))}
      />
      {delivery.items.length > 0 && (
        <SelectField
          {...form.register('itemNumber')}
          label={t('attachments.item')}
          error={errors.itemNumber}
          placeholder={t('attachments.wholeDelivery')}
          optional
        >
          {delivery.items.map(({ itemNumber, description }) => (
            <option key={itemNumber} value={itemNumber}>
              {[itemNumber, description].filter(Boolean).join(' · ')}
            </option>
          ))}
        </SelectField>
      )}
      <TextareaField
        {...form.register('note', { validate: atMost(limits.note) })}
        label={t('fields.note')}
        error={errors.note}
        rows={2}
        optional
      />
    </FormDialog>
  );
}
