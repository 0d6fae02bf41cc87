import type { FieldPath, FieldValues, UseFormSetError } from 'react-hook-form';
import type { AppError } from '@/data/errors';

/** Puts what the server said about single fields under those of the form; the first gets the focus. */
export function showFieldErrors<Values extends FieldValues>(
  failed: AppError,
  fields: readonly FieldPath<Values>[],
  setError: UseFormSetError<Values>,
): void {
  let shouldFocus = true;
  for (const field of fields) {
    const message = failed.fields[field]?.join(' ');
    if (!message) continue;
    setError(field, { type: 'server', message }, { shouldFocus });
    shouldFocus = false;
  }
}
