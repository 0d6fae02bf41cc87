import { type Control, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { ruleMessage } from '@/form/rule-message';
import { LOGO_BOUNDS, type LogoMeasure } from '@/logo/logo-value';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { type LogoValues, measureRules } from '../logo-values';

interface MeasureFieldProps {
  measure: LogoMeasure;
  control: Control<LogoValues>;
  disabled: boolean;
}

/** With a minus sign, which is wider than a hyphen. */
const signed = (number: number) => String(number).replace('-', '−');

/** A number of pixels, to slide and to type. */
export function MeasureField({ measure, control, disabled }: MeasureFieldProps) {
  const { t } = useTranslation('logo');
  const { min, max } = LOGO_BOUNDS[measure];
  const { field, fieldState } = useController({
    control,
    name: measure,
    rules: measureRules(measure),
  });
  const label = t(`measures.${measure}`);
  return (
    <Field
      required
      label={label}
      error={ruleMessage(label, fieldState.error)}
      action={
        <span className="text-sm text-muted tabular-nums">{t('bounds', { min: signed(min), max })}</span>
      }
    >
      <div className="flex items-center gap-3">
        <input
          type="range"
          aria-label={t('slider', { measure: label })}
          min={min}
          max={max}
          step={1}
          disabled={disabled}
          value={field.value}
          onChange={field.onChange}
          className="h-6 min-w-0 flex-1 accent-accent"
        />
        <Input
          {...field}
          type="number"
          inputMode="numeric"
          min={min}
          max={max}
          step={1}
          disabled={disabled}
          end={<span className="pr-1 text-sm text-muted">{t('px')}</span>}
          className="w-24 shrink-0"
          inputClassName="text-right tabular-nums"
        />
      </div>
    </Field>
  );
}
