import { Check, CircleAlert, type LucideIcon, Minus } from 'lucide-react';
import {
  type ComponentProps,
  type ReactNode,
  useId,
  useImperativeHandle,
  useLayoutEffect,
  useRef,
} from 'react';
import { cn } from './cn';
import { useFieldControl } from './field';

export interface CheckboxProps extends Omit<ComponentProps<'input'>, 'type' | 'size'> {
  /** Visible label; without it, pass `aria-label`. */
  label?: ReactNode;
  indeterminate?: boolean;
}

export function Checkbox(props: CheckboxProps) {
  const { label, indeterminate = false, className, ref, ...rest } = props;
  const box = useRef<HTMLInputElement>(null);
  useImperativeHandle(ref, () => box.current as HTMLInputElement, []);
  const control = useFieldControl(rest);

  // HTML has no attribute for the indeterminate state; set it before paint.
  useLayoutEffect(() => {
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
  /** The reason why the choice cannot be changed. */
  lockedBecause?: ReactNode;
  icon?: LucideIcon | undefined;
}

/** One of several independent choices, with a description. */
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

interface SwitchProps extends Omit<ComponentProps<'input'>, 'type' | 'role' | 'size'> {
  label: ReactNode;
}

/** A switch with its label. */
export function Switch({ label, className, ...rest }: SwitchProps) {
  const ownId = useId();
  const control = useFieldControl(rest);
  const id = control.id ?? rest.id ?? ownId;
  return (
    <div className={cn('flex items-center gap-3', className)}>
      <span className="relative flex h-[18px] w-8 shrink-0">
        <input
          type="checkbox"
          // Native checkboxes expose their state without aria-checked.
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
