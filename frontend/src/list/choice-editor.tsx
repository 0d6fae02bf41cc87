import { useTranslation } from 'react-i18next';
import { Checkbox } from '@/ui/checkbox';
import type { FilterValue } from './filters-codec';
import type { FilterOption } from './resource';

interface ChoiceEditorProps {
  options: readonly FilterOption[];
  values: FilterValue[];
  onChange: (values: FilterValue[]) => void;
}

export function ChoiceEditor({ options, values, onChange }: ChoiceEditorProps) {
  const { t } = useTranslation('list');
  return (
    <fieldset className="flex flex-col gap-0.5">
      <legend className="mb-1 text-sm font-medium">{t('values')}</legend>
      {options.map(({ value, labelKey }) => {
        const label = t(labelKey);
        const checked = values.some((entry) => entry.value === value);
        return (
          <Checkbox
            key={value}
            label={label}
            checked={checked}
            className="min-h-7 items-center pointer-coarse:min-h-11"
            onChange={() =>
              onChange(
                checked
                  ? values.filter((entry) => entry.value !== value)
                  : [...values, { label, value }],
              )
            }
          />
        );
      })}
    </fieldset>
  );
}
