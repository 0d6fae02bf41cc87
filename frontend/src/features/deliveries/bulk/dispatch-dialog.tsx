import { useRef, useState } from 'react';
import { type Control, Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { useTimeZone } from '@/data/use-time-zone';
import { DateTimeField } from '@/form/date-field';
import { dateTimeRules } from '@/form/date-text';
import { Form, FormSummary } from '@/form/form';
import { useFieldTimeZone } from '@/form/use-form-time-zone';
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

/**
 * Changes the dispatch time of the selected deliveries. Sends, with each delivery, the version that the list showed
 * when the dialog opened.
 */
export function ChangeDispatchDialog({ ids, rows, onSelect, onClose }: Props) {
  const { t } = useTranslation(['deliveries-list', 'common']);
  const [, execute] = useMutation(changeDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(useTimeZone()) } });
  const timeZone = useFieldTimeZone(form, 'dispatch');
  // One instant for all chunks of a run, during which the time zone may change.
  const dispatch = useRef('');
  const offerUndo = useOfferUndo();
  // One id for all requests of the dialog, so that an undo restores the values from before the first.
  const [undoId] = useState(newUuid);
  // Freeze the versions, since the list may refresh behind the dialog.
  const [seen] = useState(() => new Map(rows.map(({ id, version }) => [id, version])));

  const bulk = useBulkRun(async (deliveryIds) => {
    const changes = deliveryIds.map((deliveryId) => ({
      deliveryId,
      version: seen.get(deliveryId) ?? null,
      scheduledatetime: dispatch.current,
    }));
    const { data, error } = await execute({ input: { changes, undoId } }, bulkContext);
    return data ? { results: data.changeDispatchTimes } : { failed: normalizeError(error) };
  });

  function submit(values: { dispatch: string }) {
    dispatch.current = fromWallTime(values.dispatch, timeZone) ?? '';
    return bulk.run(ids);
  }

  const count = seen.size;
  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      onEnd={(done) => offerUndo(undoId, done)}
      title={t('dispatch.title', { count, shown })}
      description={t('dispatch.text')}
    >
      <Form form={form} onSubmit={submit}>
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

/** Changes the dispatch time of all matching deliveries that are Pending. */
export function DispatchAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(changeAllDispatchTimesMutation);
  const form = useForm({ defaultValues: { dispatch: nextWorkingDay(useTimeZone()) } });
  const timeZone = useFieldTimeZone(form, 'dispatch');
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

/** The new dispatch time for several deliveries. It must be in the future. */
export function NewDispatchField<Values extends { dispatch: string }>(props: NewDispatchFieldProps<Values>) {
  const { t } = useTranslation(['deliveries-list', 'outcomes', 'deliveries']);
  const timeZone = useTimeZone();
  // Every form that uses this component has a field `dispatch`, but TypeScript cannot infer that.
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
