import { CircleAlert, type LucideIcon } from 'lucide-react';
import { type ComponentProps, type ReactNode, useId } from 'react';
import { Checkbox } from './checkbox';
import { cn } from './cn';

interface CheckboxCardGroupProps {
  legend: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  children: ReactNode;
}

export function CheckboxCardGroup({ legend, hint, error, children }: CheckboxCardGroupProps) {
  const noteId = useId();
  return (
    <fieldset className="min-w-0" aria-describedby={error || hint ? noteId : undefined}>
      <legend className="mb-1 text-sm font-medium">{legend}</legend>
      <div className="flex flex-col gap-2">{children}</div>
      {error ? (
        <p id={noteId} className="mt-1.5 flex items-start gap-1.5 text-xs text-bad">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          {error}
        </p>
      ) : (
        hint && (
          <p id={noteId} className="mt-1.5 text-xs text-muted">
            {hint}
          </p>
        )
      )}
    </fieldset>
  );
}

interface CheckboxCardProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  label: ReactNode;
  text: ReactNode;
  /** Why this one cannot be changed. */
  lockedBecause?: ReactNode;
  icon?: LucideIcon | undefined;
}

/** One of several that may all be chosen, with a line that says what choosing it means. */
export function CheckboxCard(props: CheckboxCardProps) {
  const { label, text, lockedBecause, icon: Icon, className, ...rest } = props;
  const inputId = useId();
  const labelId = useId();
  const textId = useId();
  return (
    <label
      htmlFor={inputId}
      className={cn(
        'flex cursor-pointer items-start gap-2.5 rounded-control border border-line2 bg-surface px-3 py-2.5 text-sm transition-colors duration-120 ease-out hover:bg-raised has-checked:border-accent has-checked:bg-accent-soft has-disabled:cursor-default has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-accent has-disabled:hover:bg-surface has-disabled:has-checked:border-line2 has-disabled:has-checked:bg-raised',
        className,
      )}
    >
      <Checkbox
        {...rest}
        id={inputId}
        aria-labelledby={labelId}
        aria-describedby={textId}
        disabled={Boolean(lockedBecause)}
        className="mt-0.5"
      />
      <span className="min-w-0 flex-1">
        <span id={labelId} className="flex items-center gap-1.5 font-medium">
          {Icon && <Icon aria-hidden className="size-3.5 text-muted" />}
          {label}
        </span>
        <span id={textId} className="mt-0.5 block text-xs text-muted">
          {text}
          {lockedBecause && <span className="mt-0.5 block font-medium text-fg">{lockedBecause}</span>}
        </span>
      </span>
    </label>
  );
}
