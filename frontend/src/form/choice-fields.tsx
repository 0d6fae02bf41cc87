import { type ComponentProps, type ReactNode, useId } from 'react';
import type { FieldError } from 'react-hook-form';
import { Checkbox, Switch } from '@/ui/checkbox';
import { FieldContext, FieldGroup, FieldNote } from '@/ui/field';
import { RadioCard } from '@/ui/radio-card';
import { ruleMessage } from './rule-message';

interface CheckboxFieldProps extends Omit<ComponentProps<'input'>, 'type' | 'size' | 'role'> {
  label: string;
  error?: FieldError | undefined;
  hint?: ReactNode;
  /** Renders a switch instead of a checkbox. A switch is for on and off, not for consent. */
  isSwitch?: boolean;
}

/** A checkbox or switch with a label and a hint. */
export function CheckboxField(props: CheckboxFieldProps) {
  const { label, error, hint, isSwitch = false, ...input } = props;
  const id = useId();
  const noteId = `${id}-note`;
  const message = ruleMessage(label, error);
  const describedBy = message || hint ? noteId : undefined;
  const Box = isSwitch ? Switch : Checkbox;
  return (
    <div className="min-w-0">
      <FieldContext value={{ id, describedBy, invalid: Boolean(message), required: false }}>
        <Box {...input} label={label} />
      </FieldContext>
      <FieldNote id={noteId} hint={hint} error={message} />
    </div>
  );
}

type Card = Pick<ComponentProps<typeof RadioCard>, 'label' | 'text' | 'icon' | 'disabled' | 'checked' | 'ref'> & {
  value: string;
};

interface RadioFieldProps
  extends Omit<ComponentProps<typeof RadioCard>, 'label' | 'text' | 'icon' | 'value' | 'size'> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  options: readonly Card[];
}

/** A radio group of cards. The props from `register` are passed to every option. */
export function RadioField(props: RadioFieldProps) {
  const { label, error, hint, optional = false, options, className, ...input } = props;
  return (
    <FieldGroup legend={label} hint={hint} error={ruleMessage(label, error)} optional={optional}>
      <div className="flex flex-wrap gap-2">
        {options.map((option) => (
          <RadioCard
            key={option.value}
            {...input}
            {...option}
            {...(className !== undefined && { className })}
          />
        ))}
      </div>
    </FieldGroup>
  );
}
