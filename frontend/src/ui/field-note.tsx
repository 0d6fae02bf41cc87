import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

interface FieldNoteProps {
  id: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** What stands below a field: what is wrong with it, else what to know about it. */
export function FieldNote({ id, hint, error }: FieldNoteProps) {
  if (error) {
    return (
      <p id={id} className="mt-0.5 flex items-start gap-1.5 text-xs text-bad">
        <CircleAlert aria-hidden className="mt-px size-3.5 shrink-0" />
        {error}
      </p>
    );
  }
  if (!hint) return null;
  return (
    <p id={id} className="mt-0.5 text-xs text-muted">
      {hint}
    </p>
  );
}
