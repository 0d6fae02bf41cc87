import type { LucideIcon } from 'lucide-react';
import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn';

interface RadioCardGroupProps {
  legend: ReactNode;
  error?: string | undefined;
  className?: string;
  children: ReactNode;
}

export function RadioCardGroup({ legend, error, className, children }: RadioCardGroupProps) {
  return (
    <fieldset className={cn('min-w-0', className)}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="flex flex-wrap gap-2">{children}</div>
      {error && <p className="mt-1.5 text-xs text-bad">{error}</p>}
    </fieldset>
  );
}

export interface RadioCardProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  label: ReactNode;
  text?: ReactNode;
  icon?: LucideIcon;
}

export function RadioCard({ label, text, icon: Icon, className, ...rest }: RadioCardProps) {
  return (
    <label
      className={cn(
        'flex min-h-9 flex-1 cursor-pointer items-center gap-2 rounded-control border border-line2 bg-surface px-3 py-1.5 text-sm transition-colors duration-120 ease-out hover:bg-raised has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-default has-disabled:bg-raised has-disabled:text-muted has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent',
        className,
      )}
    >
      <input
        type="radio"
        {...rest}
        className="size-4 shrink-0 appearance-none rounded-full border border-field bg-surface outline-none checked:border-5 checked:border-accent"
      />
      {Icon && <Icon aria-hidden className="size-4 shrink-0 text-muted" />}
      <span className="min-w-0">
        <span className="font-medium">{label}</span>
        {text && <span className="block text-xs text-muted">{text}</span>}
      </span>
    </label>
  );
}
