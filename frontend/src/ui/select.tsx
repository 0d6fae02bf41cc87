import { ChevronDown } from 'lucide-react';
import type { ComponentProps } from 'react';
import { cn } from './cn';
import { type ControlSize, controlClasses, controlHeights } from './control-classes';
import { useFieldControl } from './field-context';

export interface SelectProps extends Omit<ComponentProps<'select'>, 'size'> {
  size?: ControlSize;
}

export function Select({ size = 36, className, children, ...rest }: SelectProps) {
  const control = useFieldControl(rest);
  return (
    <span className={cn('relative flex min-w-0 items-center', className)}>
      <select
        {...rest}
        {...control}
        className={cn(controlClasses, controlHeights[size], 'appearance-none pr-8 pl-2.5')}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute right-2.5 size-3.5 text-muted"
      />
    </span>
  );
}
