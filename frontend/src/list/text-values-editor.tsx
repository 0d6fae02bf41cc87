import { X } from 'lucide-react';
import { useId, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import type { FilterValue } from './filters-codec';
import { OptionList, optionAt } from './option-list';
import type { Lookup } from './resource';
import { useLookup } from './use-lookup';

interface TextValuesEditorProps {
  values: FilterValue[];
  /** What stands in the box and is not yet a value. */
  text: string;
  lookup: Lookup | undefined;
  /** Text of one's own counts; otherwise only what the lookup found. */
  freeText: boolean;
  label?: string;
  /** Names the list of what is chosen. */
  listLabel?: string;
  hint?: string;
  error?: string | undefined;
  /** Lists what is chosen below the box, where the box stands in a line with others. */
  valuesBelow?: boolean;
  onChange: (values: FilterValue[], text: string) => void;
}

export function TextValuesEditor(props: TextValuesEditorProps) {
  const { values, text, lookup, freeText, valuesBelow = false, onChange } = props;
  const { t } = useTranslation('list');
  const { label: fieldLabel = t('value'), listLabel = t('values'), error } = props;
  const { hint = t(freeText ? 'valueHint' : 'lookupHint') } = props;
  const listId = useId();
  const [active, setActive] = useState(-1);
  const found = useLookup(lookup, text);
  const options = found.options.filter(({ value }) => values.every((own) => own.value !== value));

  function add(value: FilterValue) {
    setActive(-1);
    const isNew = values.every((own) => own.value !== value.value);
    onChange(isNew ? [...values, value] : values, '');
  }

  function onKeyDown(event: React.KeyboardEvent) {
    const next = optionAt(event.key, active, options.length);
    if (next !== undefined) {
      event.preventDefault();
      setActive(next);
      return;
    }
    if (event.key === 'Backspace' && text === '' && values.length > 0) {
      onChange(values.slice(0, -1), '');
      return;
    }
    if (event.key !== 'Enter') return;
    const chosen = options[active];
    const own = text.trim();
    // With nothing left to add, Enter belongs to the form and applies the filter.
    if (!chosen && !(own && freeText)) return;
    event.preventDefault();
    add(chosen ?? { label: own, value: own });
  }

  const valueList = values.length > 0 && (
    <ul aria-label={listLabel} className="flex flex-wrap gap-1">
      {values.map(({ label, value }) => (
        <li
          key={value}
          className="flex h-6 max-w-full items-center gap-1 rounded-full bg-idle-soft pe-1 ps-2 text-xs text-idle"
        >
          <span className="truncate">{label || value}</span>
          <button
            type="button"
            aria-label={t('removeValue', { value: label || value })}
            className="hit-target flex size-4 items-center justify-center rounded-full hover:bg-hover"
            onClick={() => onChange(values.filter((own) => own.value !== value), text)}
          >
            <X aria-hidden className="size-3" />
          </button>
        </li>
      ))}
    </ul>
  );

  return (
    <div className="flex flex-col gap-2">
      {!valuesBelow && valueList}
      <Field label={fieldLabel} hint={hint} error={error}>
        <Input
          size={32}
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          {...(lookup && {
            role: 'combobox',
            'aria-autocomplete': 'list' as const,
            'aria-expanded': options.length > 0,
            'aria-controls': listId,
            'aria-activedescendant': active >= 0 ? `${listId}-${active}` : undefined,
          })}
          onChange={(event) => {
            setActive(-1);
            onChange(values, event.target.value);
          }}
          onKeyDown={onKeyDown}
        />
      </Field>
      {valuesBelow && valueList}
      {lookup && (
        <OptionList
          id={listId}
          options={options}
          active={active}
          loading={found.loading}
          onChoose={add}
        />
      )}
    </div>
  );
}
