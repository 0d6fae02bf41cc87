import { CircleAlert } from 'lucide-react';
import { createContext, type ReactNode, use, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from './cn';

interface FieldContextValue {
  id: string;
  describedBy: string | undefined;
  invalid: boolean;
  required: boolean;
}

export const FieldContext = createContext<FieldContextValue | null>(null);

interface ControlProps {
  id?: string | undefined;
  'aria-describedby'?: string | undefined;
  'aria-invalid'?: boolean | 'true' | 'false' | 'grammar' | 'spelling' | undefined;
  'aria-required'?: boolean | 'true' | 'false' | undefined;
}

/** Returns the props that connect a control to the label, hint and error of its `Field`. */
export function useFieldControl(own: ControlProps): ControlProps {
  const field = use(FieldContext);
  if (!field) return {};
  return {
    id: own.id ?? field.id,
    'aria-describedby': own['aria-describedby'] ?? field.describedBy,
    'aria-invalid': own['aria-invalid'] ?? (field.invalid || undefined),
    'aria-required': own['aria-required'] ?? (field.required || undefined),
  };
}

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** Adds "(optional)" to the label. */
  optional?: boolean;
  /** Placed at the end of the label's line. */
  action?: ReactNode;
  className?: string;
  children: ReactNode;
}

export function Field({
  label,
  hint,
  error,
  required = false,
  optional = false,
  action,
  className,
  children,
}: FieldProps) {
  const { t } = useTranslation('common');
  const id = useId();
  const noteId = `${id}-note`;
  const hasNote = Boolean(error ?? hint);
  return (
    <div className={cn('flex min-w-0 flex-col gap-1', className)}>
      <div className="flex items-baseline justify-between gap-3">
        <label htmlFor={id} className="text-sm font-medium text-fg">
          {label}
          {optional && <span className="ms-1.5 font-normal text-muted">{t('optional')}</span>}
        </label>
        {action}
      </div>
      <FieldContext
        value={{
          id,
          describedBy: hasNote ? noteId : undefined,
          invalid: Boolean(error),
          required,
        }}
      >
        {children}
      </FieldContext>
      <FieldNote id={noteId} hint={hint} error={error} />
    </div>
  );
}

interface FieldNoteProps {
  id: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** The error and hint below a field. */
export function FieldNote({ id, hint, error }: FieldNoteProps) {
  if (!error && !hint) return null;
  return (
    <div id={id} className="mt-0.5 flex flex-col gap-0.5 text-xs">
      {error && (
        <p className="flex items-start gap-1.5 text-bad">
          <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
          {error}
        </p>
      )}
      {hint && <p className="text-muted">{hint}</p>}
    </div>
  );
}

interface FieldGroupProps {
  legend: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** Adds "(optional)" to the legend. */
  optional?: boolean;
  className?: string;
  children: ReactNode;
}

/** A fieldset of several controls; each also needs its own accessible name. */
export function FieldGroup(props: FieldGroupProps) {
  const { legend, hint, error, required = false, optional = false, className, children } = props;
  const { t } = useTranslation('common');
  const id = useId();
  const noteId = `${id}-note`;
  const describedBy = error || hint ? noteId : undefined;
  return (
    <fieldset className={cn('min-w-0', className)} aria-describedby={describedBy}>
      <legend className="mb-1 text-sm font-medium text-fg">
        {legend}
        {optional && <span className="ms-1.5 font-normal text-muted">{t('optional')}</span>}
      </legend>
      <FieldContext value={{ id, describedBy, invalid: Boolean(error), required }}>
        {children}
      </FieldContext>
      <FieldNote id={noteId} hint={hint} error={error} />
    </fieldset>
  );
}
