import { useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { RadioField } from '@/form/choice-fields';
import { TextareaField } from '@/form/fields';
import { showFieldErrors } from '@/form/use-save';
import { Note } from '@/ui/note';
import { statusLook } from '@/ui/status-chip';
import { toast } from '@/ui/toast';
import { ReasonField } from './dialogs';
import { correctDeliveryMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import type { ActionProps } from './dialogs';
import { ChangeDialog } from './dialogs';
import { limits, requiredText } from '@/form/limits';

const STATUSES = ['Pending', 'Undelivered', 'Rejected'] as const;
type Status = (typeof STATUSES)[number];

interface Values {
  status: Status;
  outcomeReason: string;
  outcomeNote: string;
  reason: string;
}

/** Corrects the status of a delivery that was completed by mistake. */
export function CorrectStatusDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  const reasons = useReasons();
  const change = useChange(delivery, 'correct_status', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(correctDeliveryMutation);
  const form = useForm<Values>({
    defaultValues: { status: 'Pending', outcomeReason: '', outcomeNote: '', reason: '' },
    shouldUnregister: true,
  });
  const { errors } = form.formState;
  const status = useWatch({ control: form.control, name: 'status' });

  async function submit(values: Values) {
    change.begin();
    const { error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        status: values.status,
        outcomeReason: values.outcomeReason || null,
        outcomeNote: values.outcomeNote?.trim() || null,
        reason: values.reason.trim(),
      },
    });
    if (!error) {
      toast.success(t('correct.done', { id: base.id }));
      onClose();
      return;
    }
    const failed = change.refuse(error);
    if (!failed) return;
    showFieldErrors(failed, ['outcomeReason', 'outcomeNote', 'reason'], form.setError);
  }

  return (
    <ChangeDialog
      form={form}
      change={change}
      delivery={delivery}
      reasons={reasons}
      title={t('correct.statusTitle', { id: base.id })}
      text={t('correct.statusText')}
      submit={t('correct.submit')}
      busy={t('correct.busy')}
      onSubmit={submit}
      onReload={onReload}
      onClose={onClose}
    >
      <RadioField
        {...form.register('status', {
          // The reasons of the two statuses differ, so the choice is cleared.
          onChange: () => form.setValue('outcomeReason', ''),
        })}
        label={t('fields.status')}
        error={errors.status}
        options={STATUSES.map((value) => ({
          value,
          label: t(`status.delivery.${value}`, { ns: 'common' }),
          icon: statusLook({ kind: 'delivery', status: value }).icon,
        }))}
      />
      {status !== 'Pending' && (
        <>
          <ReasonField
            {...form.register('outcomeReason', { required: true })}
            appliesTo={status === 'Rejected' ? 'rejected' : 'undelivered'}
            reasons={reasons}
            error={errors.outcomeReason}
          />
          <TextareaField
            {...form.register('outcomeNote', { maxLength: limits.note })}
            label={t('fields.outcomeNote')}
            error={errors.outcomeNote}
            optional
          />
        </>
      )}
      <TextareaField
        {...form.register('reason', { ...requiredText, maxLength: limits.note })}
        label={t('fields.reason')}
        hint={t('correct.reasonHint')}
        error={errors.reason}
      />
      <Note tone="warn">{t('correct.statusNote')}</Note>
    </ChangeDialog>
  );
}
