import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { PinInput } from './pin-input';
import { ruleMessage } from './rule-message';

interface PinFieldProps extends ComponentProps<typeof PinInput> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
}

/** A PIN with its label, and below it what the rules or the server say. */
export function PinField({ label, error, hint, ...input }: PinFieldProps) {
  return (
    <Field label={label} hint={hint} error={ruleMessage(label, error)} required>
      <PinInput {...input} />
    </Field>
  );
}
