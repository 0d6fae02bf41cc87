import { Check, Minus } from 'lucide-react';
import { type ComponentProps, type ReactNode, useEffect, useImperativeHandle, useRef } from 'react';
import { cn } from './cn';
import { useFieldControl } from './field-context';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  /** Visible text beside the box; without it give an `aria-label`. */
  label?: ReactNode;
  indeterminate?: boolean;
}

export function Checkbox(props: CheckboxProps) {
  const { label, indeterminate = false, className, ref, ...rest } = props;
  const box = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => box.current as HTMLInputElement, []);
  const control = useFieldControl(rest);

  useEffect(() => {
    if (box.current) box.current.indeterminate = indeterminate;
  }, [indeterminate]);

  const input = (
    <span className="relative flex size-4 shrink-0">
      <input
        ref={box}
        type="checkbox"
        {...rest}
        {...control}
        className="peer hit-target size-4 cursor-pointer appearance-none rounded-box border border-field bg-surface checked:border-accent checked:bg-accent indeterminate:border-accent indeterminate:bg-accent disabled:cursor-default disabled:border-line2 disabled:bg-raised aria-invalid:border-bad"
      />
      <Check
        aria-hidden
        strokeWidth={3}
        className="pointer-events-none absolute inset-0.5 hidden size-3 text-accent-fg peer-disabled:text-muted peer-checked:block peer-indeterminate:hidden"
      />
      <Minus
        aria-hidden
        strokeWidth={3}
        className="pointer-events-none absolute inset-0.5 hidden size-3 text-accent-fg peer-disabled:text-muted peer-indeterminate:block"
      />
    </span>
  );

  if (!label) return <span className={cn('inline-flex', className)}>{input}</span>;
  return (
    <label className={cn('inline-flex cursor-pointer items-start gap-2 text-sm', className)}>
      <span className="flex h-5 items-center">{input}</span>
      <span>{label}</span>
    </label>
  );
}
