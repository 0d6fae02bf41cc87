import { type ReactNode, useId } from 'react';
import { useTranslation } from 'react-i18next';
import { cn } from './cn';
import { FieldContext } from './field-context';
import { FieldNote } from './field-note';

interface FieldGroupProps {
  legend: ReactNode;
  hint?: ReactNode;
  error?: string | undefined;
  required?: boolean;
  /** Says in words that it may stay empty. */
  optional?: boolean;
  className?: string;
  children: ReactNode;
}

/** Several controls that answer one question. Each carries a name of its own inside the legend. */
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
        {optional && <span className="ml-1.5 font-normal text-muted">{t('optional')}</span>}
      </legend>
      <FieldContext value={{ id, describedBy, invalid: Boolean(error), required }}>
        {children}
      </FieldContext>
      <FieldNote id={noteId} hint={hint} error={error} />
    </fieldset>
  );
}
