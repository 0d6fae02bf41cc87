import { type ComponentProps, type ReactNode, useId } from 'react';
import type { FieldError } from 'react-hook-form';
import { Checkbox } from '@/ui/checkbox';
import { FieldContext } from '@/ui/field-context';
import { FieldNote } from '@/ui/field-note';
import { Switch } from '@/ui/switch';
import { ruleMessage } from './rule-message';

interface CheckboxFieldProps extends Omit<ComponentProps<'input'>, 'type' | 'size' | 'role'> {
  label: string;
  error?: FieldError | undefined;
  hint?: ReactNode;
  /** Drawn as a switch, for what is on or off rather than agreed to. */
  isSwitch?: boolean;
}

/** Yes or no, with its label beside it and a note below. */
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
