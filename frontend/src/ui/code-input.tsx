import { type ChangeEvent, useState } from 'react';
import { cn } from './cn';
import { Input, type InputProps } from './input';

export interface CodeInputProps extends Omit<InputProps, 'type' | 'inputMode' | 'maxLength'> {
  /** Shows dots in place of the digits. */
  masked?: boolean;
  /** Says that something else than digits was left out. */
  rejected: string;
}

const NO_DIGIT = /\D/g;

/** Leaves digits only, with the caret between the same ones as before. Answers whether all were. */
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
 * One box for a code of digits: whatever else is typed or pasted is left out, and that is said. How
 * many digits there must be is a rule of the form, since a limit of the box would cut what is pasted
 * before the spaces in it are gone.
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
