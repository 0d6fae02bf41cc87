import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { permittedDriverLookup } from '@/domain/lookups/lookups';
import { TextareaField } from '@/form/fields';
import { FormDialog } from '@/form/form-dialog';
import { atMost, limits, requiredText } from '@/form/limits';
import { LookupField } from '@/form/lookup-field';
import { showFieldErrors } from '@/form/use-save';
import { toast } from '@/ui/toast';
import { assignDriverMutation, bulkContext } from '../bulk/offer-undo';
import { correctDeliveryMutation, recordOutcomeMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import { CorrectStatusDialog } from './correct-status-dialog';
import { type ActionProps, ChangeDialog, ReasonField } from './dialogs';
import { AttachmentsDialog } from './attachments-dialog';
import { RescheduleDialog } from './reschedule-dialog';

const dialogs = {
  reschedule: RescheduleDialog,
  refuse_after_attempt: RefuseDialog,
  reopen: ReopenDialog,
  correct_status: CorrectStatusDialog,
  assign_driver: AssignDriverDialog,
  add_evidence: AttachmentsDialog,
};

/** Actions with a dialog instead of a page. */
export type DialogAction = keyof typeof dialogs;

export default function ActionDialog({ action, ...props }: ActionProps & { action: DialogAction }) {
  const Dialog = dialogs[action];
  return <Dialog {...props} />;
}

/** Assigns a driver to the delivery; an empty field unassigns it. */
function AssignDriverDialog({ delivery, onClose }: ActionProps) {
  const { t } = useTranslation(['outcomes', 'common']);
  const [, execute] = useMutation(assignDriverMutation);
  const [failure, setFailure] = useState<AppError>();
  const form = useForm({ defaultValues: { driverId: delivery.driverId ?? '' } });
  const { errors, isDirty } = form.formState;

  async function submit({ driverId }: { driverId: string }) {
    setFailure(undefined);
    const driver = driverId.trim() || null;
    const { data, error } = await execute(
      { input: { deliveryIds: [delivery.id], driverId: driver } },
      bulkContext,
    );
    const result = data?.assignDriver[0];
    if (result?.ok) {
      toast.success(t(driver ? 'assign.done' : 'assign.taken', { id: delivery.id, driver }));
      onClose();
    } else if (result) {
      form.setError('driverId', { message: result.text ?? '' }, { shouldFocus: true });
    } else {
      setFailure(normalizeError(error));
    }
  }

  return (
    <FormDialog
      form={form}
      title={t('assign.title', { id: delivery.id })}
      text={t('assign.text')}
      submit={t('assign.submit')}
      busy={t('assign.busy')}
      disabled={!isDirty}
      failure={failure}
      onSubmit={submit}
      onClose={onClose}
    >
      <Controller
        control={form.control}
        name="driverId"
        rules={{ validate: atMost(limits.code) }}
        render={({ field }) => (
          <LookupField
            {...field}
            inline
            lookup={permittedDriverLookup}
            label={t('fields.driverId')}
            hint={t('assign.hint')}
            error={errors.driverId}
            optional
          />
        )}
      />
    </FormDialog>
  );
}

interface Values {
  outcomeReason: string;
  outcomeNote: string;
}

/** After an unsuccessful attempt, records that the customer refused the delivery by phone. */
function RefuseDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation('outcomes');
  const reasons = useReasons();
  const change = useChange(delivery, 'refuse_after_attempt', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(recordOutcomeMutation);
  const form = useForm<Values>({ defaultValues: { outcomeReason: '', outcomeNote: '' } });
  const selected = useWatch({ control: form.control, name: 'outcomeReason' });
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
        selected={selected}
        reasons={reasons}
        error={errors.outcomeReason}
      />
      <TextareaField
        {...form.register('outcomeNote', requiredText(limits.note))}
        label={t('fields.outcomeNote')}
        hint={t('refuse.noteHint')}
        error={errors.outcomeNote}
      />
    </ChangeDialog>
  );
}

/** Reopens a rejected delivery because the customer has changed their mind. */
function ReopenDialog({ delivery, onReload, onClose }: ActionProps) {
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
        {...form.register('reason', requiredText(limits.note))}
        label={t('fields.reason')}
        hint={t('correct.reasonHint')}
        error={errors.reason}
      />
    </ChangeDialog>
  );
}
