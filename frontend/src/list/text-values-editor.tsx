import { X } from 'lucide-react';
import { type ChangeEvent, type FocusEvent, type KeyboardEvent, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { useFocusFallback } from '@/ui/use-focus-fallback';
import type { FilterValue } from './filters-codec';
import type { Lookup } from './resource';
import { useSuggestions } from './suggestions';
import { useUnsettledText } from './unsettled-text';
import { useLookup } from './use-lookup';

interface TextValuesEditorProps {
  values: FilterValue[];
  /** Text in the input that is not yet a value. */
  text: string;
  lookup: Lookup | undefined;
  /** Whether typed text is a valid value. If not, only suggestions are valid. */
  freeText: boolean;
  label?: string;
  /** Accessible name of the selected values. */
  listLabel?: string;
  hint?: string;
  error?: string | undefined;
  /** Shows the selected values below the input, for inputs that stand side by side. */
  valuesBelow?: boolean;
  onChange: (values: FilterValue[], text: string) => void;
}

/** Edits the values of a condition or a list. */
export function TextValuesEditor(props: TextValuesEditorProps) {
  const { values, text, lookup, freeText, valuesBelow = false, onChange } = props;
  const { t } = useTranslation('list');
  const { label: fieldLabel = t('value'), listLabel = t('values') } = props;
  const { hint = t(freeText ? 'valueHint' : 'lookupHint') } = props;
  const [hasFocus, setHasFocus] = useState(false);
  const editor = useFocusFallback<HTMLDivElement>((container) => container.querySelector('input'));
  const found = useLookup(lookup, text);
  const options = found.options.filter(({ value }) => values.every((own) => own.value !== value));

  function add(value: FilterValue) {
    const isNew = values.every((own) => own.value !== value.value);
    onChange(isNew ? [...values, value] : values, '');
  }

  const { active, boxProps, list } = useSuggestions({
    text,
    options,
    loading: found.loading,
    // The list is always visible, but keys select an option only while the input has the focus.
    isOpen: hasFocus && options.length > 0,
    onChoose: add,
  });

  function onKeyDown(event: KeyboardEvent) {
    if (event.key === 'Backspace' && text === '' && values.length > 0) {
      onChange(values.slice(0, -1), '');
      return;
    }
    const own = text.trim();
    // If there is no text to add, Enter submits the form.
    if (event.key !== 'Enter' || event.nativeEvent.isComposing || active || !own) return;
    // Without free text, Enter must not submit the form without what was typed.
    event.preventDefault();
    if (freeText) add({ label: own, value: own });
  }

  const unsettled = useUnsettledText({ text: freeText ? '' : text, ...found, onChoose: add });
  function onBlur({ currentTarget, relatedTarget }: FocusEvent) {
    // The input remains the active element while only the window loses the focus.
    if (!currentTarget.contains(relatedTarget ?? document.activeElement)) unsettled.onLeave();
  }

  const box = {
    ...unsettled.mark,
    onKeyDown,
    onChange: ({ target }: ChangeEvent<HTMLInputElement>) => onChange(values, target.value),
  };

  const valueList = values.length > 0 && (
    <ul aria-label={listLabel} className="flex flex-wrap gap-1">
      {values.map(({ label, value }) => (
        <li
          key={value}
          className="flex h-6 max-w-full items-center gap-1 rounded-full bg-idle-soft pe-1 ps-2 text-xs text-idle"
        >
          <span dir="auto" className="truncate">{label || value}</span>
          <button
            type="button"
            aria-label={t('removeValue', { value: label || value })}
            data-tip={t('removeValue', { value: label || value })}
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
    <div ref={editor} onFocus={unsettled.onReturn} onBlur={onBlur} className="flex flex-col gap-2">
      {!valuesBelow && valueList}
      <Field label={fieldLabel} hint={hint} error={unsettled.error ?? props.error}>
        <Input
          size={32}
          value={text}
          maxLength={200}
          autoComplete="off"
          spellCheck={false}
          {...(lookup
            ? boxProps({
                ...box,
                'aria-expanded': options.length > 0,
                onFocus: () => setHasFocus(true),
                onBlur: () => setHasFocus(false),
              })
            : box)}
        />
      </Field>
      {valuesBelow && valueList}
      {lookup && list}
    </div>
  );
}
