import { type ChangeEvent, useState } from 'react';
import { cn } from './cn';
import { Input, type InputProps } from './input';

export interface CodeInputProps extends Omit<InputProps, 'type' | 'inputMode' | 'maxLength'> {
  /** Shows dots in place of the digits. */
  masked?: boolean;
  /** Message after invalid characters were removed. */
  rejected: string;
}

const NO_DIGIT = /\D/g;

/** Removes all but digits and keeps the caret in place. Returns whether nothing was removed. */
function keepDigits(box: HTMLInputElement): boolean {
  const typed = box.value;
  const digits = typed.replace(NO_DIGIT, '');
  if (digits === typed) return true;
  const caret = typed.slice(0, box.selectionStart ?? typed.length).replace(NO_DIGIT, '').length;
  box.value = digits;
  box.setSelectionRange(caret, caret);
  return false;
}

/**
 * An input for a numeric code. Other characters are removed with a message. The length is checked by a validation rule,
 * because `maxlength` would cut pasted text before its spaces are removed.
 */
export function CodeInput(props: CodeInputProps) {
  const { masked = false, rejected, onChange, inputClassName, className, ...rest } = props;
  const [refused, setRefused] = useState(false);

  function change(event: ChangeEvent<HTMLInputElement>) {
    setRefused(!keepDigits(event.currentTarget));
    onChange?.(event);
  }

  return (
    <span className={cn('flex min-w-0 flex-col', className)}>
      <Input
        {...rest}
        type={masked ? 'password' : 'text'}
        inputMode="numeric"
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        onChange={change}
        inputClassName={cn('tracking-[0.2em] tabular-nums', inputClassName)}
      />
      <span role="status" className={cn('text-xs text-muted', refused && 'mt-1')}>
        {refused && rejected}
      </span>
    </span>
  );
}
