import { Plus, X } from 'lucide-react';
import { useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { TEXT_OPERATORS } from '@/list/resource';
import { TextValuesEditor } from '@/list/text-values-editor';
import { Button, IconButton } from '@/ui/button';
import { Field } from '@/ui/field';
import { FieldGroup } from '@/ui/field-group';
import { Select } from '@/ui/select';
import type { ReportMember } from '../queries';
import type { ReportFilter } from '../report-setting-values';

interface FiltersFieldProps {
  label: string;
  error: string | undefined;
  members: readonly ReportMember[];
  value: ReportFilter[];
  onChange: (filters: ReportFilter[]) => void;
}

/** What the report is narrowed to when it opens. */
export function FiltersField({ label, error, members, value, onChange }: FiltersFieldProps) {
  const { t } = useTranslation('report-settings');
  const adder = useRef<HTMLButtonElement>(null);
  const dimensions = members.filter(({ kind }) => kind === 'dimension');
  const [first] = dimensions;

  function change(at: number, filter: ReportFilter) {
    onChange(value.map((entry, index) => (index === at ? filter : entry)));
  }

  function remove(at: number) {
    onChange(value.filter((_, index) => index !== at));
    // The button that had the focus is gone.
    adder.current?.focus();
  }

  return (
    <FieldGroup legend={label} error={error} hint={t('filters.hint')}>
      <div className="flex flex-col gap-2">
        {value.map((filter, index) => (
          <FilterRow
            // They have no name but their place.
            key={index}
            place={index + 1}
            dimensions={dimensions}
            filter={filter}
            onChange={(next) => change(index, next)}
            onRemove={() => remove(index)}
          />
        ))}
        <Button
          ref={adder}
          size={28}
          icon={Plus}
          disabled={!first}
          className="self-start"
          onClick={() =>
            first && onChange([...value, { key: first.member, operator: 'equals', values: [] }])
          }
        >
          {t('filters.add')}
        </Button>
      </div>
    </FieldGroup>
  );
}

interface FilterRowProps {
  place: number;
  dimensions: readonly ReportMember[];
  filter: ReportFilter;
  onChange: (filter: ReportFilter) => void;
  onRemove: () => void;
}

function FilterRow({ place, dimensions, filter, onChange, onRemove }: FilterRowProps) {
  const { t } = useTranslation(['report-settings', 'list']);
  const [typed, setTyped] = useState('');
  const { key, operator, values } = filter;

  function add(next: readonly string[], text: string) {
    setTyped(text);
    if (next.join('\n') !== values.join('\n')) onChange({ ...filter, values: [...next] });
  }

  return (
    <div
      role="group"
      aria-label={t('filters.row', { place })}
      className="flex flex-wrap items-start gap-2 rounded-control border border-line p-2"
    >
      <Field label={t('filters.member')} className="min-w-36 flex-1">
        <Select
          size={32}
          value={key}
          onChange={({ target }) => onChange({ ...filter, key: target.value })}
        >
          {dimensions.map(({ member, title }) => (
            <option key={member} value={member}>
              {title}
            </option>
          ))}
        </Select>
      </Field>
      <Field label={t('operators.label', { ns: 'list' })} className="min-w-32">
        <Select
          size={32}
          value={operator}
          onChange={({ target }) => onChange({ ...filter, operator: target.value })}
        >
          {TEXT_OPERATORS.map((entry) => (
            <option key={entry} value={entry}>
              {t(`operators.${entry}`, { ns: 'list' })}
            </option>
          ))}
        </Select>
      </Field>
      <div
        className="min-w-44 flex-1"
        // What stands in the box when it is left is meant as a value.
        onBlur={({ currentTarget, relatedTarget }) => {
          const text = typed.trim();
          if (!text || currentTarget.contains(relatedTarget)) return;
          add(values.includes(text) ? values : [...values, text], '');
        }}
      >
        <TextValuesEditor
          values={values.map((value) => ({ label: value, value }))}
          text={typed}
          lookup={undefined}
          freeText
          valuesBelow
          onChange={(next, text) => add(next.map(({ value }) => value), text)}
        />
      </div>
      <IconButton
        icon={X}
        size={28}
        label={t('filters.remove', { place })}
        onClick={onRemove}
      />
    </div>
  );
}
