import type { ComponentProps, ReactNode } from 'react';
import type { FieldError } from 'react-hook-form';
import { Field } from '@/ui/field';
import { Input, type InputProps, Select, type SelectProps, Textarea } from '@/ui/input';
import { ruleMessage } from './rule-message';

interface TextFieldProps extends InputProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  /** Adds "(optional)" to the label; all other fields are required. */
  optional?: boolean;
}

/** A text input with label, hint and error. */
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

interface SelectFieldProps extends SelectProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  /** Text of the empty first option. */
  placeholder?: string;
}

/** A select with a short, fixed list of options, given as children. */
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

interface TextareaFieldProps extends ComponentProps<typeof Textarea> {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
}

/** A multi-line text input with label, hint and error. */
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
