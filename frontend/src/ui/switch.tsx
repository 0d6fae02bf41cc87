import { type ComponentProps, type ReactNode, useId } from 'react';
import { cn } from './cn';
import { useFieldControl } from './field-context';

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role' | 'size'> {
  label: ReactNode;
}

/** On or off, with its label beside it. */
export function Switch({ label, className, ...rest }: SwitchProps) {
  const ownId = useId();
  const control = useFieldControl(rest);
  const id = control.id ?? rest.id ?? ownId;
  return (
    <div className={cn('flex items-center gap-3', className)}>
      <span className="relative flex h-[18px] w-8 shrink-0">
        <input
          type="checkbox"
          // A checkbox says by itself whether it is checked.
          // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
          // A checkbox says by itself whether it is on.
        // oxlint-disable-next-line jsx-a11y/role-has-required-aria-props
        role="switch"
          {...rest}
          {...control}
          id={id}
          className="peer hit-target h-[18px] w-8 cursor-pointer appearance-none rounded-full border border-field bg-field transition-colors duration-120 ease-out checked:border-accent checked:bg-accent disabled:cursor-default disabled:border-line2 disabled:bg-line2"
        />
        <span
          aria-hidden
          className="pointer-events-none absolute top-0.5 left-0.5 size-3.5 rounded-full bg-surface transition-transform duration-120 ease-out peer-checked:translate-x-3.5"
        />
      </span>
      <label htmlFor={id} className="min-w-0 text-sm font-medium">
        {label}
      </label>
    </div>
  );
}
