import { Controller, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { LookupField } from '@/form/lookup-field';
import { RadioField } from '@/form/choice-fields';
import { permittedDriverLookup } from '@/domain/lookups/lookups';

export interface AssignValues {
  who: 'driver' | 'nobody';
  driverId: string;
}

/** The driver who was chosen; null is nobody. */
export const chosenDriver = ({ who, driverId }: AssignValues) => (who === 'driver' ? driverId : null);

/** Asks who gets many deliveries. */
export function AssignFields({ form }: { form: UseFormReturn<AssignValues> }) {
  const { t } = useTranslation('deliveries-list');
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
    </>
  );
}
