import { type ReactNode, useId } from 'react';
import { Field, FieldContext, FieldNote } from '@/ui/field';

interface LineFieldProps {
  /** What the box holds, and of which item. */
  label: string;
  shortLabel: string;
  error: string | undefined;
  /** In a column whose head says what the box holds. */
  inColumn: boolean;
  children: ReactNode;
}

/** One box of a line, in a table or on a card. */
export function LineField({ label, shortLabel, error, inColumn, children }: LineFieldProps) {
  const id = useId();
  const noteId = `${id}-note`;
  if (!inColumn) {
    return (
      <Field label={shortLabel} error={error}>
        {children}
      </Field>
    );
  }
  return (
    <div className="min-w-0">
      <label htmlFor={id} className="sr-only">
        {label}
      </label>
      <FieldContext
        value={{
          id,
          describedBy: error ? noteId : undefined,
          invalid: Boolean(error),
          required: false,
        }}
      >
        {children}
      </FieldContext>
      <FieldNote id={noteId} error={error} />
    </div>
  );
}
