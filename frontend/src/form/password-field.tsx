import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { PasswordInput } from './password-input';
import { ruleMessage } from './rule-message';

interface PasswordFieldProps extends ComponentProps<typeof PasswordInput> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
}

/** A password with its label, and below it what the rules or the server say. */
export function PasswordField({ label, error, hint, ...input }: PasswordFieldProps) {
  return (
    <Field label={label} hint={hint} error={ruleMessage(label, error)} required>
      <PasswordInput {...input} />
    </Field>
  );
}
