import { Controller, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DateField } from '@/form/date-field';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-time-field';
import { LookupField } from '@/form/lookup-field';
import { TextField } from '@/form/text-field';
import { truckerLookup } from '@/lookups/lookups';
import type { DriverValues } from '../driver-values';
import { driverRules } from '../rules';
import { useDriverLabels } from '../use-driver-labels';

interface DriverFieldsProps {
  form: UseFormReturn<DriverValues>;
  /** The id is chosen once. */
  isNew?: boolean;
}

const verbatim = { autoComplete: 'off', autoCapitalize: 'none', spellCheck: false } as const;

/** What can be said of a driver, in the order on screen: the form focuses the first that is wrong. */
export function DriverFields({ form, isNew = false }: DriverFieldsProps) {
  const { t } = useTranslation('drivers');
  const labels = useDriverLabels();
  const { control, register } = form;
  const { errors } = form.formState;
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      {isNew && (
        <TextField
          {...register('driverId', driverRules.driverId)}
          {...verbatim}
          label={labels.driverId}
          hint={t('hints.driverId')}
          error={errors.driverId}
        />
      )}
      <TextField
        {...register('name', driverRules.name)}
        autoComplete="off"
        label={labels.name}
        error={errors.name}
      />
      <TextField
        {...register('username', driverRules.username)}
        {...verbatim}
        label={labels.username}
        hint={t('hints.username')}
        error={errors.username}
      />
      <TextField
        {...register('phone', driverRules.phone)}
        type="tel"
        autoComplete="off"
        label={labels.phone}
        error={errors.phone}
        optional
      />
      <TextField
        {...register('email', driverRules.email)}
        {...verbatim}
        type="email"
        label={labels.email}
        error={errors.email}
        optional
      />
      <Controller
        control={control}
        name="trucker"
        rules={driverRules.trucker}
        render={({ field }) => (
          <LookupField
            {...field}
            lookup={truckerLookup}
            label={labels.trucker}
            error={errors.trucker}
            optional
          />
        )}
      />
      <TextField
        {...register('vehiclePlate', driverRules.vehiclePlate)}
        {...verbatim}
        label={labels.vehiclePlate}
        error={errors.vehiclePlate}
        optional
      />
      <TextField
        {...register('licenceNumber', driverRules.licenceNumber)}
        {...verbatim}
        label={labels.licenceNumber}
        error={errors.licenceNumber}
        optional
      />
      <Controller
        control={control}
        name="licenceExpiry"
        rules={driverRules.licenceExpiry}
        render={({ field }) => (
          <DateField
            {...field}
            label={labels.licenceExpiry}
            error={errors.licenceExpiry}
            optional
          />
        )}
      />
      <TextField
        {...register('language', driverRules.language)}
        {...verbatim}
        label={labels.language}
        hint={t('hints.language')}
        error={errors.language}
        optional
      />
      <Controller
        control={control}
        name="trackingConsentAt"
        rules={dateTimeRules({ optional: true })}
        render={({ field }) => (
          <DateTimeField
            {...field}
            label={labels.trackingConsentAt}
            hint={t('hints.trackingConsentAt')}
            error={errors.trackingConsentAt}
            optional
          />
        )}
      />
    </div>
  );
}
