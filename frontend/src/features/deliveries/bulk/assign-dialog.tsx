import { useState } from 'react';
import { Controller, useForm, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { permittedDriverLookup } from '@/domain/lookups/lookups';
import { RadioField } from '@/form/choice-fields';
import { Form, FormSummary } from '@/form/form';
import { LookupField } from '@/form/lookup-field';
import { formatCount } from '@/lib/numbers';
import { newUuid } from '@/lib/uuid';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkAllProps, BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { Button } from '@/ui/button';
import { AllDialog } from './all-dialog';
import { assignAllMutation, useChangeAll } from './change-all';
import { assignDriverMutation, bulkContext, useOfferUndo } from './offer-undo';

/** Assigns or unassigns the selected deliveries. */
export function AssignDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation(['deliveries-list', 'common']);
  const [, execute] = useMutation(assignDriverMutation);
  const form = useForm<AssignValues>({ defaultValues: { who: 'driver', driverId: '' } });
  const offerUndo = useOfferUndo();
  // One id for all requests of the dialog, so that an undo restores the values from before the first.
  const [undoId] = useState(newUuid);
  const who = useWatch({ control: form.control, name: 'who' });
  const [count] = useState(ids.length);

  const bulk = useBulkRun(async (deliveryIds) => {
    const driverId = chosenDriver(form.getValues());
    const { data, error } = await execute({ input: { deliveryIds, driverId, undoId } }, bulkContext);
    return data ? { results: data.assignDriver } : { failed: normalizeError(error) };
  });

  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      onEnd={(done) => offerUndo(undoId, done)}
      title={t('assign.title', { count, shown })}
      description={t('assign.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
        <AssignFields form={form} />
        <div className="flex flex-wrap gap-2">
          <Button type="submit" variant="primary" size={36}>
            {t(who === 'driver' ? 'assign.submit' : 'assign.clear', { count, shown })}
          </Button>
          <Button size={36} onClick={onClose}>
            {t('common:cancel')}
          </Button>
        </div>
      </Form>
    </BulkDialog>
  );
}

/** Assigns or unassigns all matching deliveries. */
export function AssignAllDialog({ where, onDone, onClose }: BulkAllProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(assignAllMutation);
  const form = useForm<AssignValues>({ defaultValues: { who: 'driver', driverId: '' } });
  const offerUndo = useOfferUndo();
  const content = () => chosenDriver(form.getValues());
  const all = useChangeAll(where, content, async (change) => {
    const { data, error } = await execute({ change, driverId: content() }, change.dryRun ? {} : bulkContext);
    return { change: data?.assignAll, error };
  });
  return (
    <AllDialog
      {...{ all, form, onDone, onClose }}
      title={t('assign.titleOfAll')}
      description={t('assign.text')}
      onEnd={({ id, changed }) => changed > 0 && offerUndo(id, changed)}
    >
      <AssignFields form={form} />
    </AllDialog>
  );
}

interface AssignValues {
  who: 'driver' | 'nobody';
  driverId: string;
}

/** Returns the selected driver, or null to unassign. */
const chosenDriver = ({ who, driverId }: AssignValues) => (who === 'driver' ? driverId : null);

/** Selects a driver for several deliveries. */
function AssignFields({ form }: { form: UseFormReturn<AssignValues> }) {
  const { t } = useTranslation(['deliveries-list', 'deliveries']);
  const { errors } = form.formState;
  const who = useWatch({ control: form.control, name: 'who' });
  return (
    <>
      <RadioField
        {...form.register('who')}
        label={t('assign.who')}
        error={errors.who}
        options={[
          { value: 'driver', label: t('assign.driver') },
          { value: 'nobody', label: t('assign.nobody') },
        ]}
      />
      {who === 'driver' && (
        <Controller
          control={form.control}
          name="driverId"
          rules={{ required: t('assign.choose') }}
          render={({ field }) => (
            <LookupField
              {...field}
              inline
              // In bulk, only existing drivers can be assigned.
              strict
              lookup={permittedDriverLookup}
              label={t('deliveries:fields.driverId')}
              hint={t('assign.hint')}
              error={errors.driverId}
            />
          )}
        />
      )}
    </>
  );
}
