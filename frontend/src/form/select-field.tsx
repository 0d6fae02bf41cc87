import type { ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { Select, type SelectProps } from '@/ui/select';
import { ruleMessage } from './rule-message';

interface SelectFieldProps extends SelectProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  /** Stands for nothing chosen, as the first option. */
  placeholder?: string;
}

/** One of few that are all known. The options are its children. */
export function SelectField(props: SelectFieldProps) {
  const { label, error, hint, optional = false, placeholder, children, ...select } = props;
  return (
    <Field
      label={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <Select {...select}>
        {placeholder !== undefined && <option value="">{placeholder}</option>}
        {children}
      </Select>
    </Field>
  );
}
