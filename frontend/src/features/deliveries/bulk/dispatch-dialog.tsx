import { useState } from 'react';
import { type Control, Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { DateTimeField } from '@/form/date-field';
import { dateTimeRules } from '@/form/date-text';
import { Form, FormSummary } from '@/form/form';
import { fromWallTime, nextWorkingDay } from '@/lib/dates';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkAllProps, BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import type { DeliveryRow } from '../columns';
import { AllDialog } from './all-dialog';
import { changeAllDispatchTimesMutation, useChangeAll } from './change-all';
import { bulkContext, changeDispatchTimesMutation, useOfferUndo } from './offer-undo';

type Props = BulkDialogProps<Pick<DeliveryRow, 'id' | 'version'>>;

/** Puts deliveries off that did not leave yet, each as it was when it was selected. */
export function ChangeDispatchDialog({ ids, rows, onSelect, onClose }: Props) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(changeDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(timeZone) } });
  const offerUndo = useOfferUndo();
  const [undoId] = useState(newUuid);
  // Opened by a button that names how many; the list may change behind it.
  const [seen] = useState(() => new Map(rows.map(({ id, version }) => [id, version])));

  const bulk = useBulkRun(async (deliveryIds) => {
    const scheduledatetime = fromWallTime(form.getValues().dispatch, timeZone) ?? '';
    const changes = deliveryIds.map((deliveryId) => ({
      deliveryId,
      version: seen.get(deliveryId) ?? null,
      scheduledatetime,
    }));
    const { data, error } = await execute({ input: { changes, undoId } }, bulkContext);
    return data ? { results: data.changeDispatchTimes } : { failed: normalizeError(error) };
  });

  const count = seen.size;
  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      onEnd={(done) => offerUndo(undoId, done)}
      title={t('dispatch.title', { count, shown })}
      description={t('dispatch.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
        <NewDispatchField control={form.control} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size={36}>
            {t('dispatch.submit', { count, shown })}
          </Button>
          <Button size={36} onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}

/** Puts everything off that matches and did not leave yet. */
export function DispatchAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const timeZone = useTimeZone();
  const [, execute] = useMutation(changeAllDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(timeZone) } });
  const offerUndo = useOfferUndo();
  const content = () => fromWallTime(form.getValues().dispatch, timeZone) ?? '';
  const all = useChangeAll(where, content, async (change) => {
    const variables = { change, scheduledatetime: content() };
    const { data, error } = await execute(variables, change.dryRun ? {} : bulkContext);
    return { change: data?.changeAllDispatchTimes, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('dispatch.titleOfAll')}
      description={t('dispatch.text')}
      onEnd={({ id, changed }) => changed > 0 && offerUndo(id, changed)}
    >
      <NewDispatchField control={form.control} />
    </AllDialog>
  );
}

interface NewDispatchFieldProps<Values extends { dispatch: string }> {
  control: Control<Values>;
}

/** The time that many deliveries leave at from now on: one to come. */
export function NewDispatchField<Values extends { dispatch: string }>(props: NewDispatchFieldProps<Values>) {
  const { t } = useTranslation(['deliveries-list', 'outcomes']);
  const timeZone = useTimeZone();
  // The name is one of every such form; the library cannot conclude that.
  const control = props.control as unknown as Control<{ dispatch: string }>;
  return (
    <Controller
      control={control}
      name="dispatch"
      rules={dateTimeRules({ future: { timeZone, message: t('outcomes:reschedule.past') } })}
      render={({ field, fieldState }) => (
        <DateTimeField
          {...field}
          label={t('deliveries:fields.scheduledatetime')}
          hint={t('reschedule.zone', { zone: timeZone })}
          error={fieldState.error}
        />
      )}
    />
  );
}
