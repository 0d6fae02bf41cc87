import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from './cn';
import { FieldContext } from './field-context';
import { FieldNote } from './field-note';

interface FieldProps {
  label: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** Says in words that the field may stay empty. */
  optional?: boolean;
  /** Sits at the end of the label's line. */
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
          {optional && <span className="ml-1.5 font-normal text-muted">{t('optional')}</span>}
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
