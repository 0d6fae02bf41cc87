import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { QuantityInput } from './quantity-input';
import { ruleMessage } from './rule-message';

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
