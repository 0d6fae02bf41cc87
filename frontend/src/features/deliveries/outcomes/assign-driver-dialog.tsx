import { useState } from 'react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useMutation } from 'urql';
import { type AppError, normalizeError } from '@/data/errors';
import { LookupField } from '@/form/lookup-field';
import { permittedDriverLookup } from '@/domain/lookups/lookups';
import { toast } from '@/ui/toast';
import { assignDriverMutation, bulkContext } from '../bulk-queries';
import type { ActionProps } from './action-props';
import { FormDialog } from './form-dialog';
import { MAX_CODE } from './rules';

/** Gives the delivery to a driver; an empty box takes it from whoever has it. */
export function AssignDriverDialog({ delivery, onClose }: ActionProps) {
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
        rules={{ maxLength: MAX_CODE }}
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
