import { Controller, type Control } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { dateTimeRules } from '@/form/date-text';
import { DateTimeField } from '@/form/date-field';

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
