import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { showFieldErrors } from '@/form/use-save';
import { TextareaField } from '@/form/fields';
import { toast } from '@/ui/toast';
import { ReasonField } from '../components/reason-field';
import { recordOutcomeMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import type { ActionProps } from './action-props';
import { ChangeDialog } from './change-dialog';
import { MAX_NOTE, said } from './rules';

interface Values {
  outcomeReason: string;
  outcomeNote: string;
}

/** Undelivered, and then the customer said by phone that they will not have it. */
export function RefuseDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation('outcomes');
  const reasons = useReasons();
  const change = useChange(delivery, 'refuse_after_attempt', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(recordOutcomeMutation);
  const form = useForm<Values>({ defaultValues: { outcomeReason: '', outcomeNote: '' } });
  const { errors } = form.formState;

  async function submit({ outcomeReason, outcomeNote }: Values) {
    change.begin();
    const { error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        status: 'Rejected',
        outcomeReason,
        outcomeNote: outcomeNote.trim(),
      },
    });
    if (!error) {
      toast.success(t('refuse.done', { id: base.id }));
      onClose();
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(failed, ['outcomeReason', 'outcomeNote'], form.setError);
  }

  return (
    <ChangeDialog
      form={form}
      change={change}
      delivery={delivery}
      reasons={reasons}
      title={t('refuse.title', { id: base.id })}
      text={t('refuse.text')}
      submit={t('refuse.submit')}
      busy={t('refuse.busy')}
      onSubmit={submit}
      onReload={onReload}
      onClose={onClose}
    >
      <ReasonField
        {...form.register('outcomeReason', { required: true })}
        appliesTo="rejected"
        reasons={reasons}
        error={errors.outcomeReason}
      />
      <TextareaField
        {...form.register('outcomeNote', { ...said, maxLength: MAX_NOTE })}
        label={t('fields.outcomeNote')}
        hint={t('refuse.noteHint')}
        error={errors.outcomeNote}
      />
    </ChangeDialog>
  );
}
