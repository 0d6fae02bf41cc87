import { cn } from '@/ui/cn';
import { Input, type InputProps } from '@/ui/input';

/** A box for an amount. Its value is text: see quantity.ts for its rules and for reading it. */
export function QuantityInput({ inputClassName, ...rest }: Omit<InputProps, 'type' | 'inputMode'>) {
  return (
    <Input
      {...rest}
      inputMode="decimal"
      autoComplete="off"
      maxLength={16}
      inputClassName={cn('text-right tabular-nums', inputClassName)}
      // The next amount is typed over the last one more often than it is mended.
      onFocus={(event) => {
        event.currentTarget.select();
        rest.onFocus?.(event);
      }}
    />
  );
}
