import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn';
import { type ControlSize, controlClasses, controlHeights } from './control-classes';
import { useFieldControl } from './field-context';

export interface InputProps extends Omit<ComponentProps<'input'>, 'size'> {
  size?: ControlSize;
  start?: ReactNode;
  end?: ReactNode;
  /** Classes of the text box itself; `className` goes to the outermost element. */
  inputClassName?: string;
}

export function Input({
  size = 36,
  start,
  end,
  className,
  inputClassName,
  type = 'text',
  ...rest
}: InputProps) {
  const control = useFieldControl(rest);
  return (
    <span className={cn('relative flex min-w-0 items-center', className)}>
      {start && (
        <span className="pointer-events-none absolute left-2.5 flex text-muted">{start}</span>
      )}
      <input
        type={type}
        dir={type === 'text' ? 'auto' : undefined}
        {...rest}
        {...control}
        className={cn(
          controlClasses,
          controlHeights[size],
          start ? 'pl-8' : 'pl-2.5',
          end ? 'pr-10' : 'pr-2.5',
          inputClassName,
        )}
      />
      {end && <span className="absolute right-1.5 flex items-center">{end}</span>}
    </span>
  );
}
