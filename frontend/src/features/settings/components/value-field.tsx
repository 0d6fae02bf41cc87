import { useId, useState } from 'react';
import { type UseFormReturn, useController } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { useTimeZone } from '@/data/use-time-zone';
import { CheckboxField } from '@/form/checkbox-field';
import { DateField } from '@/form/date-field';
import { PasswordInput } from '@/form/password-input';
import { ruleMessage } from '@/form/rule-message';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { Select } from '@/ui/select';
import type { Setting } from '../queries';
import { settingRules } from '../setting-rules';
import { boundsText, optionText } from '../setting-text';
import type { SettingValues } from '../use-save-setting';

/** So many are seen at a glance; more are found faster by typing. */
const FEW = 12;

const INPUT_TYPES: Partial<Record<Setting['type'], string>> = {
  dateTime: 'datetime-local',
  email: 'email',
  number: 'number',
  time: 'time',
  url: 'url',
};

interface ValueFieldProps {
  setting: Setting;
  form: UseFormReturn<SettingValues>;
}

/** The one field of a setting, by its type. */
export function ValueField({ setting, form }: ValueFieldProps) {
  const { t } = useTranslation('settings');
  const timeZone = useTimeZone();
  const listId = useId();
  const [isUnreadable, setUnreadable] = useState(false);
  const { type, options, isSecret } = setting;
  const label = t('edit.label');
  const { field, fieldState } = useController({
    control: form.control,
    name: 'value',
    rules: settingRules(setting, { required: t('edit.required'), isUnreadable }),
  });
  const message = ruleMessage(t('edit.value'), fieldState.error);
  const bounds = boundsText(setting, t) ?? '';
  let hint = bounds;
  if (isSecret) hint = t('edit.secretHint');
  else if (type === 'date') hint = t('edit.dateHint', { bounds }).trim();
  else if (type === 'dateTime') hint = t('edit.zoneHint', { zone: timeZone, bounds }).trim();
  const named = { ...field, autoComplete: 'off' };

  if (type === 'date') {
    return <DateField {...field} label={label} error={fieldState.error} hint={hint} />;
  }
  if (type === 'boolean') {
    const isOn = field.value === 'true';
    return (
      <CheckboxField
        {...field}
        isSwitch
        label={label}
        hint={t(isOn ? 'edit.on' : 'edit.off')}
        error={fieldState.error}
        checked={isOn}
        onChange={({ target }) => field.onChange(String(target.checked))}
      />
    );
  }

  if (options.length > 0 && options.length <= FEW) {
    return (
      <Field required label={label} hint={hint} error={message}>
        <Select {...named}>
          {!options.includes(field.value) && <option value={field.value}>{field.value}</option>}
          {options.map((option) => (
            <option key={option} value={option}>
              {optionText(option, t)}
            </option>
          ))}
        </Select>
      </Field>
    );
  }
  if (type === 'password') {
    return (
      <Field required label={label} hint={hint} error={message}>
        <PasswordInput {...field} autoComplete="new-password" />
      </Field>
    );
  }
  return (
    <Field required label={label} hint={hint} error={message}>
      <Input
        {...named}
        // Not by its change, which for the browser is none from one thing it cannot read to another.
        onInput={({ currentTarget }) => setUnreadable(currentTarget.validity.badInput)}
        type={INPUT_TYPES[type] ?? 'text'}
        {...(type === 'number' && {
          step: 'any',
          min: setting.min ?? undefined,
          max: setting.max ?? undefined,
          inputMode: 'decimal',
        })}
        {...(type === 'dateTime' && {
          min: setting.min ?? undefined,
          max: setting.max ?? '9999-12-31T23:59',
        })}
        list={options.length > 0 ? listId : undefined}
      />
      {options.length > 0 && (
        <datalist id={listId}>
          {options.map((option) => (
            <option key={option}>{option}</option>
          ))}
        </datalist>
      )}
    </Field>
  );
}
