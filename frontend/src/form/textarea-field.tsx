import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { Textarea } from '@/ui/textarea';
import { ruleMessage } from './rule-message';

interface TextareaFieldProps extends ComponentProps<typeof Textarea> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
}

/** Text of several lines with its label, and below it what the rules or the server say. */
export function TextareaField(props: TextareaFieldProps) {
  const { label, error, hint, optional = false, ...textarea } = props;
  return (
    <Field
      label={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <Textarea {...textarea} />
    </Field>
  );
}
