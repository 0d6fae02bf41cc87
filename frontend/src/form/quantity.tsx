import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { cn } from '@/ui/cn';
import { Field } from '@/ui/field';
import { Input, type InputProps } from '@/ui/input';
import { ruleMessage } from './rule-message';

const WRITTEN = /^\s*-?\d{1,10}(?:\.\d{1,3})?\s*$/;
const MOST = 1_000_000_000;

/** Parses an amount with up to three decimals; undefined if invalid. */
export function readQuantity(text: string): number | undefined {
  return WRITTEN.test(text) ? Number(text) : undefined;
}

/** Formats an amount for editing: no grouping, no trailing zeros. */
export function writeQuantity(amount: number): string {
  return String(Math.round(amount * 1000) / 1000);
}

interface QuantityRules {
  min?: number;
  max?: number;
  optional?: boolean;
}

/** Rules of a text field with an amount. */
export function quantityRules({ min = 0, max = MOST, optional = false }: QuantityRules = {}) {
  return { required: !optional, pattern: WRITTEN, min, max };
}

interface QuantityFieldProps extends ComponentProps<typeof QuantityInput> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
}

/** An amount with up to three decimals. Register it with `quantityRules`. */
export function QuantityField(props: QuantityFieldProps) {
  const { label, error, hint, optional = false, ...input } = props;
  return (
    <Field
      label={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <QuantityInput {...input} />
    </Field>
  );
}

/** An input for an amount. Its value is a string; see `quantityRules` and `readQuantity`. */
export function QuantityInput({ inputClassName, ...rest }: Omit<InputProps, 'type' | 'inputMode'>) {
  return (
    <Input
      {...rest}
      inputMode="decimal"
      autoComplete="off"
      maxLength={16}
      inputClassName={cn('text-end tabular-nums', inputClassName)}
      // Select the old amount, since it is usually replaced rather than edited.
      onFocus={(event) => {
        event.currentTarget.select();
        rest.onFocus?.(event);
      }}
    />
  );
}
