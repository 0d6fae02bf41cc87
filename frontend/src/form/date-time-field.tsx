import { type FocusEvent, type ReactNode, type Ref, useRef } from 'react';
import type { FieldError } from 'react-hook-form';
import { useTranslation } from 'react-i18next';
import { FieldGroup } from '@/ui/field-group';
import { Input } from '@/ui/input';
import { DateSegments } from './date-segments';
import { joinDateTime, splitDateTime } from './date-text';
import { ruleMessage } from './rule-message';

interface DateTimeFieldProps {
  label: string;
  error: FieldError | undefined;
  hint?: ReactNode;
  optional?: boolean;
  disabled?: boolean;
  /** YYYY-MM-DDTHH:mm on a clock of the organisation, as `toWallTime` and `fromWallTime` know it. */
  value: string;
  onChange: (value: string) => void;
  onBlur?: () => void;
  ref?: Ref<HTMLInputElement>;
}

/**
 * A date and a time of day. Give it the `field` of a `Controller` with `dateTimeRules`: its value is
 * what was typed, which may be no date at all.
 */
export function DateTimeField(props: DateTimeFieldProps) {
  const { label, error, hint, optional = false, disabled = false, value, onChange, onBlur, ref } =
    props;
  const { t } = useTranslation('form');
  const time = useRef<HTMLInputElement>(null);
  const [date, timeOfDay] = splitDateTime(value);

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
      <div onBlur={leave} className="flex flex-wrap gap-2">
        <DateSegments
          {...(ref && { ref })}
          value={date}
          disabled={disabled}
          onChange={(next) => onChange(joinDateTime(next, timeOfDay))}
          onFull={() => time.current?.focus()}
        />
        <Input
          ref={time}
          type="time"
          aria-label={t('date.time')}
          value={timeOfDay}
          disabled={disabled}
          onChange={({ target }) => onChange(joinDateTime(date, target.value))}
          className="w-32"
        />
      </div>
    </FieldGroup>
  );
}
