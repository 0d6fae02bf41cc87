import { useEffect, useRef } from 'react';
import type { AppError } from '@/data/errors';
import { FORM_ERROR, UNKNOWN_ERROR } from '@/data/errors';
import { Note } from '@/ui/note';

/** What the server refused, above the form; it takes the focus when it appears. */
export function FormSummary({ failure }: { failure: AppError }) {
  const box = useRef<HTMLDivElement>(null);

  useEffect(() => {
    box.current?.focus();
  }, [failure]);

  const messages = Object.values(failure.fields).flat();
  const badInput = failure.kind === 'input';
  return (
    <Note
      ref={box}
      tone="bad"
      role="alert"
      title={badInput ? UNKNOWN_ERROR : failure.message}
      className="mb-5"
    >
      {badInput && (
        <>
          <p>{FORM_ERROR}</p>
          <ul className="mt-1 list-disc pl-4">
            {(messages.length > 0 ? messages : [failure.detail ?? '']).map((message) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </>
      )}
    </Note>
  );
}
