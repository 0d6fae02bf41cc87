import { useEffect, useRef } from 'react';
import { type AppError, FORM_ERROR, UNKNOWN_ERROR } from '@/data/errors';
import { Note } from '@/ui/note';

interface FormSummaryProps {
  /** What the server refused. It takes the focus, unless a field that is wrong has it. */
  failure: AppError | undefined;
  /** What the rules of the form refused; the first such field has the focus. */
  messages?: readonly string[];
}

/** What kept a form from being saved, above it. */
export function FormSummary({ failure, messages = [] }: FormSummaryProps) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    if (!failure || document.activeElement?.matches('[aria-invalid="true"]')) return;
    box.current?.focus();
  }, [failure]);

  const isInput = failure ? failure.kind === 'input' : messages.length > 0;
  if (!failure && !isInput) return null;
  const said = Object.values(failure?.fields ?? {}).flat();
  const lines = failure ? (said.length > 0 ? said : [failure.detail ?? '']) : messages;
  return (
    <Note
      ref={box}
      // What may go well later is no mistake of whoever filled the form.
      tone={failure?.code === 'RATE_LIMITED' ? 'warn' : 'bad'}
      role="alert"
      title={failure && !isInput ? failure.message : UNKNOWN_ERROR}
    >
      {isInput && (
        <>
          <p>{FORM_ERROR}</p>
          <ul className="mt-1 list-disc pl-4">
            {lines.filter(Boolean).map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ul>
        </>
      )}
    </Note>
  );
}
