import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-time-field';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { TextareaField } from '@/form/textarea-field';
import { useEventId } from '@/form/use-event-id';
import { fromWallTime } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import { bulkContext, rescheduleDeliveriesMutation } from '../bulk-queries';

interface Values {
  dispatch: string;
  note: string;
}

const MAX_NOTE = 2000;

/** Sends deliveries out again at another time, each in its next attempt. */
export default function RescheduleManyDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(rescheduleDeliveriesMutation);
  const eventId = useEventId();
  const form = useForm<Values>({ defaultValues: { dispatch: '', note: '' } });
  const { errors } = form.formState;
  // Opened by a button that names how many; the list may change behind it.
  const [count] = useState(ids.length);

  const bulk = useBulkRun(async (deliveryIds) => {
    const { dispatch, note } = form.getValues();
    const content = {
      scheduledatetime: fromWallTime(dispatch, timeZone) ?? '',
      note: note.trim() || null,
    };
    const input = { ...content, deliveryIds, clientEventId: eventId(content) };
    const { data, error } = await execute({ input }, bulkContext);
    return data ? { results: data.rescheduleDeliveries } : { failed: normalizeError(error) };
  });

  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      title={t('reschedule.title', { count, shown })}
      description={t('reschedule.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
        <Controller
          control={form.control}
          name="dispatch"
          rules={dateTimeRules()}
          render={({ field }) => (
            <DateTimeField
              {...field}
              label={t('deliveries:fields.scheduledatetime')}
              hint={t('reschedule.zone', { zone: timeZone })}
              error={errors.dispatch}
            />
          )}
        />
        <TextareaField
          {...form.register('note', { maxLength: MAX_NOTE })}
          label={t('reschedule.note')}
          hint={t('reschedule.noteHint')}
          error={errors.note}
          optional
        />
        <div>
          <Button type="submit" variant="primary" size={36}>
            {t('reschedule.submit', { count, shown })}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}
