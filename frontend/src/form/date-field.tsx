import { type FocusEvent, type ReactNode, type Ref } from 'react';
import type { FieldError } from 'react-hook-form';
import { FieldGroup } from '@/ui/field-group';
import { DateSegments } from './date-segments';
import { ruleMessage } from './rule-message';

interface DateFieldProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  /** YYYY-MM-DD as far as it is typed, which may be no date at all. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/** A date. Give it the `field` of a `Controller` whose rules refuse what is no date. */
export function DateField(props: DateFieldProps) {
  const { label, error, hint, optional = false, disabled = false, value, onChange, onBlur, ref } =
    props;

  function leave({ currentTarget, relatedTarget }: FocusEvent) {
    if (!currentTarget.contains(relatedTarget)) onBlur?.();
  }

  return (
    <FieldGroup
      legend={label}
      hint={hint}
      error={ruleMessage(label, error)}
      required={!optional}
      optional={optional}
    >
      <div onBlur={leave}>
        <DateSegments
          {...(ref && { ref })}
          value={value}
          disabled={disabled}
          onChange={onChange}
        />
      </div>
    </FieldGroup>
  );
}
