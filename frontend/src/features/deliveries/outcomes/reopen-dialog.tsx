import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { showFieldErrors } from '@/form/use-save';
import { TextareaField } from '@/form/fields';
import { toast } from '@/ui/toast';
import { correctDeliveryMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import type { ActionProps } from './action-props';
import { ChangeDialog } from './change-dialog';
import { MAX_NOTE, said } from './rules';

/** Rejected, and then the customer changed their mind. */
export function ReopenDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation('outcomes');
  const reasons = useReasons();
  const change = useChange(delivery, 'reopen', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(correctDeliveryMutation);
  const form = useForm({ defaultValues: { reason: '' } });
  const { errors } = form.formState;

  async function submit({ reason }: { reason: string }) {
    change.begin();
    const { error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        status: 'Pending',
        reason: reason.trim(),
      },
    });
    if (!error) {
      toast.success(t('reopen.done', { id: base.id }));
      onClose();
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(failed, ['reason'], form.setError);
  }

  return (
    <ChangeDialog
      form={form}
      change={change}
      delivery={delivery}
      reasons={reasons}
      title={t('reopen.title', { id: base.id })}
      text={t('reopen.text')}
      submit={t('reopen.submit')}
      busy={t('reopen.busy')}
      onSubmit={submit}
      onReload={onReload}
      onClose={onClose}
    >
      <TextareaField
        {...form.register('reason', { ...said, maxLength: MAX_NOTE })}
        label={t('fields.reason')}
        hint={t('correct.reasonHint')}
        error={errors.reason}
      />
    </ChangeDialog>
  );
}
