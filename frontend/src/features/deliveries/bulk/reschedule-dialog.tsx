import { useRef, useState } from 'react';
import { useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { TextareaField } from '@/form/fields';
import { Form, FormSummary } from '@/form/form';
import { atMost, limits } from '@/form/limits';
import { useFieldTimeZone } from '@/form/use-form-time-zone';
import { useEventId } from '@/form/use-save';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkAllProps, BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import { AllDialog } from './all-dialog';
import { rescheduleAllMutation, useChangeAll } from './change-all';
import { NewDispatchField } from './dispatch-dialog';
import { bulkContext, rescheduleDeliveriesMutation } from './offer-undo';

interface Values {
  dispatch: string;
  note: string;
}

/** Reschedules the selected deliveries, each to its next attempt. */
export function RescheduleManyDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation(['deliveries-list', 'common']);
  const [, execute] = useMutation(rescheduleDeliveriesMutation);
  const eventId = useEventId();
  const form = useForm<Values>({ defaultValues: { dispatch: nextWorkingDay(useTimeZone()), note: '' } });
  const timeZone = useFieldTimeZone(form, 'dispatch');
  // The same for all chunks of a run, during which the time zone may change.
  const content = useRef({ scheduledatetime: '', note: '' as string | null });
  const { errors } = form.formState;
  // Freeze the number that the button showed, since the list may refresh behind the dialog.
  const [count] = useState(ids.length);

  const bulk = useBulkRun(async (deliveryIds) => {
    const input = { ...content.current, deliveryIds, clientEventId: eventId(content.current) };
    const { data, error } = await execute({ input }, bulkContext);
    return data ? { results: data.rescheduleDeliveries } : { failed: normalizeError(error) };
  });

  function submit({ dispatch, note }: Values) {
    content.current = { scheduledatetime: fromWallTime(dispatch, timeZone) ?? '', note: note.trim() || null };
    return bulk.run(ids);
  }

  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      title={t('reschedule.title', { count, shown })}
      description={t('reschedule.text')}
    >
      <Form form={form} onSubmit={submit}>
        <FormSummary failure={bulk.failure} />
        <NewDispatchField control={form.control} />
        <TextareaField
          {...form.register('note', { validate: atMost(limits.note) })}
          label={t('reschedule.note')}
          hint={t('reschedule.noteHint')}
          error={errors.note}
          optional
        />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size={36}>
            {t('reschedule.submit', { count, shown })}
          </Button>
          <Button size={36} onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}

/** Reschedules all matching undelivered deliveries, each to its next attempt. */
export function RescheduleAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(rescheduleAllMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(useTimeZone()), note: '' } });
  const timeZone = useFieldTimeZone(form, 'dispatch');
  const content = () => {
    const { dispatch, note } = form.getValues();
    return { scheduledatetime: fromWallTime(dispatch, timeZone) ?? '', note: note.trim() || null };
  };
  const all = useChangeAll(where, content, async (change) => {
    const { data, error } = await execute({ change, ...content() }, change.dryRun ? {} : bulkContext);
    return { change: data?.rescheduleAll, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('reschedule.titleOfAll')}
      description={t('reschedule.text')}
    >
      <NewDispatchField control={form.control} />
      <TextareaField
        {...form.register('note', { validate: atMost(limits.note) })}
        label={t('reschedule.note')}
        hint={t('reschedule.noteHint')}
        error={form.formState.errors.note}
        optional
      />
    </AllDialog>
  );
}
