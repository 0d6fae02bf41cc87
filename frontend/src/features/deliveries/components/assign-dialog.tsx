import { useState } from 'react';
import { Controller, useForm, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { normalizeError } from '@/data/errors';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { LookupField } from '@/form/lookup-field';
import { RadioField } from '@/form/radio-field';
import { formatCount } from '@/lib/numbers';
import { BulkDialog } from '@/list/bulk-dialog';
import type { BulkDialogProps } from '@/list/resource';
import { useBulkRun } from '@/list/use-bulk-run';
import { permittedDriverLookup } from '@/lookups/lookups';
import { Button } from '@/ui/button';
import { assignDriverMutation, bulkContext } from '../bulk-queries';

interface Values {
  who: 'driver' | 'nobody';
  driverId: string;
}

/** Gives deliveries to a driver, or takes them from whoever has them. */
export default function AssignDialog({ ids, onSelect, onClose }: BulkDialogProps) {
  const { t } = useTranslation('deliveries-list');
  const [, execute] = useMutation(assignDriverMutation);
  const form = useForm<Values>({ defaultValues: { who: 'driver', driverId: '' } });
  const { errors } = form.formState;
  const who = useWatch({ control: form.control, name: 'who' });
  const [count] = useState(ids.length);

  const bulk = useBulkRun(async (deliveryIds) => {
    const values = form.getValues();
    const driverId = values.who === 'driver' ? values.driverId : null;
    const { data, error } = await execute({ input: { deliveryIds, driverId } }, bulkContext);
    return data ? { results: data.assignDriver } : { failed: normalizeError(error) };
  });

  const shown = formatCount(count);
  return (
    <BulkDialog
      {...{ bulk, onSelect, onClose }}
      title={t('assign.title', { count, shown })}
      description={t('assign.text')}
    >
      <Form form={form} onSubmit={() => bulk.run(ids)}>
        <FormSummary failure={bulk.failure} />
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
                // Of many at once, none goes to somebody who only almost exists.
                strict
                lookup={permittedDriverLookup}
                label={t('deliveries:fields.driverId')}
                hint={t('assign.hint')}
                error={errors.driverId}
              />
            )}
          />
        )}
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
