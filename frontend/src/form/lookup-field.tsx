import { type KeyboardEvent, type ReactNode, type Ref, useState } from 'react';
import type { FieldError } from 'react-hook-form';
import type { FilterValue } from '@/list/filters-codec';
import type { Lookup } from '@/list/resource';
import { useSuggestions } from '@/list/suggestions';
import { useUnsettledText } from '@/list/unsettled-text';
import { useLookup } from '@/list/use-lookup';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import { ruleMessage } from './rule-message';

interface LookupFieldProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  placeholder?: string;
  lookup: Lookup;
  value: string;
  /** `chosen` is the selected option. For typed text it is undefined or, in a strict field, has only a label. */
  onChange: (value: string, chosen?: FilterValue) => void;
  onBlur?: () => void;
  name?: string;
  ref?: Ref<HTMLInputElement>;
  /** Whether only options are valid values. */
  strict?: boolean;
  /** In a strict field, the label of the current value. Without a value, the text that was typed. */
  shown?: string;
  /** Whether the list pushes content down instead of covering it, as dialogs need. */
  inline?: boolean;
}

const MAX_SEARCH = 200;

/**
 * A text input with suggestions. Takes the `field` of a `Controller`. The value is the typed text. In a strict field,
 * the value is the selected option, and editing its text clears the value.
 */
export function LookupField(props: LookupFieldProps) {
  const { label, error, hint, optional = false, lookup, value, onChange, onBlur, ref } = props;
  const { disabled, placeholder, name, strict = false, shown, inline = false } = props;
  const [open, setOpen] = useState(false);
  // In a strict field, the text that is typed while there is no value.
  const [typed, setTyped] = useState('');
  const [chosen, setChosen] = useState<FilterValue>();
  const shownValue = (chosen?.value === value ? chosen.label : shown) || value;
  const text = strict ? shownValue || (shown ?? typed) : value;
  const pending = strict && !value ? text : '';
  // Look up nothing until the list is opened.
  const found = useLookup(open || pending.trim() ? lookup : undefined, text);
  const { options, loading } = found;
  const isShown = open && (options.length > 0 || loading || strict);

  function choose(option: FilterValue) {
    setChosen(option);
    setTyped('');
    onChange(option.value, option);
    setOpen(false);
  }

  const unsettled = useUnsettledText({ text: pending, ...found, onChoose: choose });
  const { active, boxProps, list } = useSuggestions({
    boxRef: ref,
    text,
    options,
    loading,
    isOpen: isShown,
    onOpenChange: setOpen,
    onChoose: choose,
  });

  function type(next: string) {
    setTyped(next);
    setOpen(true);
    if (strict) onChange('', { label: next, value: '' });
    else onChange(next);
  }

  /** Keeps Enter from submitting a strict field whose text is not a selection. */
  function onKeyDown(event: KeyboardEvent) {
    if (event.key !== 'Enter' || active || !pending.trim()) return;
    event.preventDefault();
    setOpen(true);
  }

  return (
    <Field
      label={label}
      hint={hint}
      error={unsettled.error ?? ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <div className="relative">
        <Input
          {...boxProps({
            name,
            disabled,
            placeholder,
            // Text in a strict field is only searched for.
            ...(strict && { maxLength: MAX_SEARCH }),
            ...unsettled.mark,
            spellCheck: false,
            onChange: ({ target }) => type(target.value),
            onKeyDown,
            onFocus: unsettled.onReturn,
            onBlur: ({ target }) => {
              setOpen(false);
              // It remains the active element while only the window loses the focus.
              if (document.activeElement !== target) unsettled.onLeave();
              onBlur?.();
            },
          })}
        />
        {isShown && (
          <div
            className={cn(
              'mt-1 rounded-panel border border-line2 bg-surface px-2 py-1',
              !inline && 'absolute inset-x-0 top-full z-30 animate-appear shadow-float',
            )}
          >
            {list}
          </div>
        )}
      </div>
    </Field>
  );
}
