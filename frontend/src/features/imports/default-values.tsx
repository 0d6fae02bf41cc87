import { Plus, X } from 'lucide-react';
import { useEffect, useId, useRef, useState } from 'react';
import { useTranslation } from 'react-i18next';
import { Button, IconButton } from '@/ui/button';
import {
  DropdownMenu,
  DropdownMenuContent,
  DropdownMenuItem,
  DropdownMenuTrigger,
} from '@/ui/dropdown-menu';
import { Field } from '@/ui/field';
import { Input } from '@/ui/input';
import type { ImportMapping } from './mapping-queries';
import type { ColumnChoices, DefaultValue } from './use-columns-step';

/** How long to wait after a keystroke before the server is asked what the value becomes. */
const PAUSE_MS = 300;

interface DefaultValuesProps {
  mapping: ImportMapping;
  choices: ColumnChoices;
  disabled: boolean;
  onChange: (defaults: DefaultValue[]) => void;
}

/** Values for all rows that have none, because the file has no such column or a cell is empty. */
export function DefaultValues({ mapping, choices, disabled, onChange }: DefaultValuesProps) {
  const { t } = useTranslation('imports');
  const id = useId();
  const { defaults } = choices;
  const [added, setAdded] = useState<string>();
  const adding = useRef<HTMLButtonElement>(null);
  const isChosen = useRef(false);
  const free = mapping.fields.filter(
    ({ name, canDefault }) => canDefault && !defaults.some(({ field }) => field === name),
  );
  return (
    <section aria-labelledby={id} className="border-t border-line px-4 py-3">
      <h3 id={id} className="text-sm font-medium">
        {t('mapping.defaults.title')}
      </h3>
      <p className="text-sm text-muted">{t('mapping.defaults.text')}</p>
      <div className="grid gap-x-4 gap-y-3 not-empty:mt-2 sm:grid-cols-2">
        {defaults.map(({ field, value }) => {
          const label = mapping.fields.find(({ name }) => name === field)?.label ?? field;
          return (
            <ValueField
              key={field}
              label={label}
              hint={t(choices.fields.includes(field) ? 'mapping.defaults.emptyCells' : 'mapping.defaults.allRows')}
              value={value}
              disabled={disabled}
              focused={field === added}
              onChange={(next) => onChange(defaults.map((it) => (it.field === field ? { field, value: next } : it)))}
              onRemove={() => {
                onChange(defaults.filter((it) => it.field !== field));
                adding.current?.focus();
              }}
            />
          );
        })}
      </div>
      <DropdownMenu onOpenChange={(isOpen) => isOpen && (isChosen.current = false)}>
        <DropdownMenuTrigger asChild>
          <Button ref={adding} icon={Plus} className="mt-3" disabled={disabled || free.length === 0}>
            {t('mapping.defaults.add')}
          </Button>
        </DropdownMenuTrigger>
        <DropdownMenuContent
          align="start"
          size="list"
          // The value's field has the focus.
          onCloseAutoFocus={(event) => isChosen.current && event.preventDefault()}
        >
          {free.map(({ name, label }) => (
            <DropdownMenuItem
              key={name}
              onSelect={() => {
                isChosen.current = true;
                setAdded(name);
                onChange([...defaults, { field: name, value: '' }]);
              }}
            >
              {label}
            </DropdownMenuItem>
          ))}
        </DropdownMenuContent>
      </DropdownMenu>
    </section>
  );
}

interface ValueFieldProps {
  label: string;
  hint: string;
  value: string;
  disabled: boolean;
  focused: boolean;
  onChange: (value: string) => void;
  onRemove: () => void;
}

function ValueField({ label, hint, value, disabled, focused, onChange, onRemove }: ValueFieldProps) {
  const { t } = useTranslation('imports');
  const [text, setText] = useState(value);
  // A saved mapping may bring another value.
  const [shown, setShown] = useState(value);
  if (value !== shown) {
    setShown(value);
    setText(value);
  }
  useEffect(() => {
    if (text === value) return;
    const timer = setTimeout(() => onChange(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, onChange]);
  return (
    <Field label={label} hint={hint}>
      <span className="flex items-center gap-1">
        <Input
          className="flex-1"
          dir="auto"
          value={text}
          disabled={disabled}
          // eslint-disable-next-line jsx-a11y/no-autofocus -- the user has just added this field
          autoFocus={focused}
          onChange={({ target }) => setText(target.value)}
          onBlur={() => text !== value && onChange(text)}
        />
        <IconButton
          icon={X}
          size={28}
          label={t('mapping.defaults.remove', { name: label })}
          disabled={disabled}
          onClick={onRemove}
        />
      </span>
    </Field>
  );
}
