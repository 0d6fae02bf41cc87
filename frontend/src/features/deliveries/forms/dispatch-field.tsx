import { Controller, type UseFormReturn } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { DateSegments } from '@/form/date-field';
import { ruleMessage } from '@/form/rule-message';
import { Field, FieldGroup } from '@/ui/field';
import { Input } from '@/ui/input';
import { dateRules, type HeadValues } from './head-values';

/** The two halves of the dispatch date and time, each with its own label and message. */
export function DispatchField({ form }: { form: UseFormReturn<HeadValues> }) {
  const { t } = useTranslation('deliveries');
  const { errors } = form.formState;
  const labels = { date: t('fields.dispatchDate'), time: t('fields.dispatchTime') };
  return (
    <FieldGroup legend={<span className="sr-only">{t('fields.scheduledatetime')}</span>}>
      <div className="flex flex-wrap gap-x-3 gap-y-4">
        <Controller
          control={form.control}
          name="dispatchDate"
          rules={dateRules}
          render={({ field }) => (
            <FieldGroup
              required
              legend={labels.date}
              error={ruleMessage(labels.date, errors.dispatchDate)}
            >
              <div onBlur={field.onBlur}>
                <DateSegments ref={field.ref} value={field.value} onChange={field.onChange} />
              </div>
            </FieldGroup>
          )}
        />
        <Field
          required
          label={labels.time}
          error={ruleMessage(labels.time, errors.dispatchTime)}
          className="w-32"
        >
          <Input {...form.register('dispatchTime', { required: true })} type="time" />
        </Field>
      </div>
    </FieldGroup>
  );
}
