import type { ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { Input, type InputProps } from '@/ui/input';
import { ruleMessage } from './rule-message';

interface TextFieldProps extends InputProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  /** Says in words that the field may stay empty; every other one is required. */
  optional?: boolean;
}

/** A text box of a form with its label, and below it what the rules or the server say. */
export function TextField({ label, error, hint, optional = false, ...input }: TextFieldProps) {
  return (
    <Field
      label={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <Input {...input} />
    </Field>
  );
}
