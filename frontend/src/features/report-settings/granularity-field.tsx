import { type FieldValues, type UseFormReturn, useWatch } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { mostDays } from '@/domain/analytics/buckets';
import type { BoundField, FormField } from '@/form/define-form';
import { SelectField } from '@/form/fields';
import { optionalSelect } from '@/form/kinds';
import type { ReportSetting } from './queries';
import { GRANULARITIES } from './report-setting-values';

type Granularity = NonNullable<ReportSetting['granularity']>;

/** The unit of time by which rows are grouped. Units that are too short for the range are disabled. */
export const granularity: FormField<Granularity | '', Granularity | null, Granularity | null> = {
  ...optionalSelect<Granularity>({
    values: GRANULARITIES,
    names: 'report-settings:granularities',
    initially: 'day',
    none: 'report-settings:granularities.none',
  }),
  rules: (t) => ({
    validate: {
      validate: (unit, values) =>
        unit === '' ||
        !(Number(values.rangeDays) > mostDays(unit)) ||
        (mostDays(unit) > 0
          ? t('report-settings:rangeTooLong', { most: mostDays(unit) })
          : t('report-settings:unitTooShort')),
    },
  }),
  draw: (bound, { form }) => <GranularityField {...bound} form={form} />,
};

function GranularityField({
  form,
  ...bound
}: BoundField<Granularity | ''> & { form: UseFormReturn<FieldValues> }) {
  const { t } = useTranslation('report-settings');
  const days = Number(useWatch({ control: form.control, name: 'rangeDays' }));
  return (
    <SelectField {...bound} optional placeholder={t('granularities.none')}>
      {GRANULARITIES.map((unit) => (
        <option key={unit} value={unit} disabled={days > mostDays(unit)}>
          {t(`granularities.${unit}`)}
        </option>
      ))}
    </SelectField>
  );
}
