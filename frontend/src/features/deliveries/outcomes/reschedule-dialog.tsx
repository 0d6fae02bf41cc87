import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { useTimeZone } from '@/data/use-time-zone';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-field';
import { useFieldTimeZone } from '@/form/use-form-time-zone';
import { showFieldErrors } from '@/form/use-save';
import { TextareaField } from '@/form/fields';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import { toast } from '@/ui/toast';
import { rescheduleDeliveryMutation } from '../delivery-queries';
import { useChange } from '../use-change';
import { useReasons } from '../use-reasons';
import type { ActionProps } from './dialogs';
import { ChangeDialog } from './dialogs';
import { atMost, limits } from '@/form/limits';

interface Values {
  scheduledatetime: string;
  note: string;
}

/** Reschedules an undelivered delivery, by default to the next working day at the same time. */
export function RescheduleDialog({ delivery, onReload, onClose }: ActionProps) {
  const { t } = useTranslation('outcomes');
  const reasons = useReasons();
  const change = useChange(delivery, 'reschedule', onReload);
  const { base, clientEventId } = change;
  const [, execute] = useMutation(rescheduleDeliveryMutation);
  const form = useForm<Values>({
    defaultValues: { scheduledatetime: nextWorkingDay(useTimeZone(), base.scheduledatetime), note: '' },
  });
  const timeZone = useFieldTimeZone(form, 'scheduledatetime');
  const { errors } = form.formState;

  async function submit({ scheduledatetime, note }: Values) {
    change.begin();
    const { error } = await execute({
      input: {
        deliveryId: base.id,
        version: base.version,
        clientEventId,
        scheduledatetime: fromWallTime(scheduledatetime, timeZone) ?? '',
        note: note.trim() || null,
      },
    });
    if (!error) {
      toast.success(t('reschedule.done', { id: base.id }));
      onClose();
      return;
    }
    const failed = change.refuse(error);
    if (failed) showFieldErrors(failed, ['scheduledatetime', 'note'], form.setError);
  }

  return (
    <ChangeDialog
      form={form}
      change={change}
      delivery={delivery}
      reasons={reasons}
      title={t('reschedule.title', { id: base.id })}
      text={t('reschedule.text', { attempt: base.attempt + 1, max: base.maxAttempts })}
      submit={t('reschedule.submit')}
      busy={t('reschedule.busy')}
      onSubmit={submit}
      onReload={onReload}
      onClose={onClose}
    >
      <Controller
        control={form.control}
        name="scheduledatetime"
        rules={dateTimeRules({ future: { timeZone, message: t('reschedule.past') } })}
        render={({ field }) => (
          <DateTimeField
            {...field}
            label={t('fields.scheduledatetime')}
            error={errors.scheduledatetime}
          />
        )}
      />
      <TextareaField
        {...form.register('note', { validate: atMost(limits.note) })}
        label={t('fields.note')}
        hint={t('reschedule.noteHint')}
        error={errors.note}
        optional
      />
    </ChangeDialog>
  );
}
