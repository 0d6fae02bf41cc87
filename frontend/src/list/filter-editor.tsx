import { useEffect, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button } from '@/ui/button';
import { Field } from '@/ui/field';
import { Select } from '@/ui/select';
import { ChoiceEditor } from './choice-editor';
import { DateRangeEditor } from './date-range-editor';
import { type Filter, type FilterOperator, type FilterValue, takesNoValues } from './filters-codec';
import type { FilterField } from './resource';
import { TextValuesEditor } from './text-values-editor';

interface FilterEditorProps {
  field: FilterField;
  filter: Filter | undefined;
  timeZone: string;
  onApply: (filter: Filter) => void;
}

/** Text filters with one plain value open with it in the box, ready to be changed. */
function initialDraft(field: FilterField, filter: Filter | undefined) {
  const values = filter?.values ?? [];
  const [only] = values;
  if (field.kind === 'text' && only && values.length === 1) return { values: [], text: only.value };
  return { values, text: '' };
}

export function FilterEditor({ field, filter, timeZone, onApply }: FilterEditorProps) {
  const { t } = useTranslation('list');
  const [operator, setOperator] = useState<FilterOperator>(filter?.operator ?? field.operators[0]);
  const [draft, setDraft] = useState(() => initialDraft(field, filter));
  const setValues = (values: FilterValue[], text = '') => setDraft({ values, text });
  const form = useRef<HTMLFormElement>(null);

  // The condition comes first on screen, yet it is the value one opens the editor for.
  useEffect(
    () => (form.current?.querySelector('input') ?? form.current?.querySelector('select'))?.focus(),
    [],
  );

  const typed = field.kind === 'text' ? draft.text.trim() : '';
  const isNew = typed && draft.values.every(({ value }) => value !== typed);
  const written = isNew ? [...draft.values, { label: typed, value: typed }] : draft.values;
  const needsValues = !takesNoValues(operator);
  const values = needsValues ? written : [];
  const isComplete = !needsValues || values.length > 0;

  return (
    <form
      ref={form}
      className="flex flex-col gap-3"
      onSubmit={(event) => {
        event.preventDefault();
        // The popover lies in a portal, where React still hands events to the page around it.
        event.stopPropagation();
        if (isComplete) onApply({ key: field.key, operator, values });
      }}
    >
      {field.operators.length > 1 && (
        <Field label={t('operators.label')}>
          <Select
            size={32}
            value={operator}
            onChange={({ target }) =>
              setOperator(field.operators.find((entry) => entry === target.value) ?? operator)
            }
          >
            {field.operators.map((entry) => (
              <option key={entry} value={entry}>
                {t(`operators.${entry}`)}
              </option>
            ))}
          </Select>
        </Field>
      )}
      {needsValues && field.kind === 'date-range' && (
        <DateRangeEditor
          name={field.key}
          values={draft.values}
          timeZone={timeZone}
          times={field.times ?? false}
          onChange={setValues}
        />
      )}
      {needsValues && (field.kind === 'enum' || field.kind === 'yes-no') && (
        <ChoiceEditor options={field.options} values={draft.values} onChange={setValues} />
      )}
      {needsValues && (field.kind === 'text' || field.kind === 'lookup') && (
        <TextValuesEditor
          values={draft.values}
          text={draft.text}
          lookup={field.lookup}
          freeText={field.kind === 'text'}
          onChange={setValues}
        />
      )}
      <Button type="submit" variant="primary" disabled={!isComplete}>
        {t('apply')}
      </Button>
    </form>
  );
}
