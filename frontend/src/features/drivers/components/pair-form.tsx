import { Link2 } from 'lucide-react';
import { Controller, useForm } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { Form } from '@/form/form';
import { FormSummary } from '@/form/form-summary';
import { LookupField } from '@/form/lookup-field';
import { permittedDriverLookup } from '@/lookups/lookups';
import { SubmitButton } from '@/form/submit-button';
import { usePairDevice } from '../use-pair-device';

/** Asks whose device it is. */
export function PairForm({ uniqueId }: { uniqueId: string }) {
  const { t } = useTranslation('drivers');
  const form = useForm({ defaultValues: { driverId: '' } });
  const { errors, isSubmitting } = form.formState;
  const { failure, pair } = usePairDevice(uniqueId);
  return (
    <Form
      form={form}
      label={t('pairing.formOf', { uniqueId })}
      onSubmit={({ driverId }) => pair(driverId)}
      className="flex flex-col gap-3"
    >
      <FormSummary failure={failure} />
      <Controller
        control={form.control}
        name="driverId"
        rules={{ required: t('pairing.choose') }}
        render={({ field }) => (
          <LookupField
            {...field}
            strict
            inline
            lookup={permittedDriverLookup}
            label={t('fields.driver')}
            hint={t('pairing.driverHint')}
            error={errors.driverId}
          />
        )}
      />
      <div>
        <SubmitButton
          icon={Link2}
          busy={isSubmitting}
          label={t('pairing.pair')}
          busyLabel={t('pairing.busy')}
        />
      </div>
    </Form>
  );
}
