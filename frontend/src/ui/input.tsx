import { ChevronDown } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn';
import { useFieldControl } from './field';

/** Styles shared by text inputs and selects. */
export const controlClasses =
  'w-full min-w-0 rounded-control border border-field bg-surface text-fg transition-colors duration-120 ease-out [&[readonly]]:bg-raised disabled:border-line disabled:bg-raised disabled:text-muted aria-invalid:border-bad focus-visible:-outline-offset-1 focus-visible:outline-accent';

type ControlSize = 32 | 36 | 40;

const controlHeights: Record<ControlSize, string> = {
  32: 'h-8 text-sm pointer-coarse:h-11 pointer-coarse:text-touch',
  36: 'h-9 text-sm pointer-coarse:h-11 pointer-coarse:text-touch',
  40: 'h-10 text-base pointer-coarse:h-11 pointer-coarse:text-touch',
};

export interface InputProps extends Omit<ComponentProps<'input'>, 'size'> {
  size?: ControlSize;
  start?: ReactNode;
  end?: ReactNode;
  /** The classes of the input itself. `className` applies to the outermost element. */
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
        <span className="pointer-events-none absolute start-2.5 flex text-muted">{start}</span>
      )}
      <input
        type={type}
        dir={type === 'text' ? 'auto' : undefined}
        {...rest}
        {...control}
        className={cn(
          controlClasses,
          controlHeights[size],
          start ? 'ps-8' : 'ps-2.5',
          end ? 'pe-10' : 'pe-2.5',
          inputClassName,
        )}
      />
      {end && <span className="absolute end-1.5 flex items-center">{end}</span>}
    </span>
  );
}

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
        className={cn(controlClasses, controlHeights[size], 'appearance-none pe-8 ps-2.5')}
      >
        {children}
      </select>
      <ChevronDown
        aria-hidden
        className="pointer-events-none absolute end-2.5 size-3.5 text-muted"
      />
    </span>
  );
}

/** A multi-line text input that grows with its text if the browser supports it. */
export function Textarea({ className, rows = 3, ...rest }: ComponentProps<'textarea'>) {
  const control = useFieldControl(rest);
  return (
    <textarea
      rows={rows}
      dir="auto"
      {...rest}
      {...control}
      className={cn(
        controlClasses,
        'max-h-80 resize-y px-2.5 py-2 text-sm field-sizing-content pointer-coarse:text-touch',
        className,
      )}
      style={{ minHeight: `calc(${rows}lh + 18px)` }}
    />
  );
}
