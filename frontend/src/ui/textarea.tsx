import type { ComponentProps } from 'react';
import { cn } from './cn';
import { controlClasses } from './control-classes';
import { useFieldControl } from './field-context';

/** Text of several lines. It grows with what is typed where the browser can do that. */
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
