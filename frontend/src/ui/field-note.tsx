import { CircleAlert } from 'lucide-react';
import type { ReactNode } from 'react';

interface FieldNoteProps {
  id: string;
  hint?: ReactNode;
  error?: string | undefined;
}

/** Stands below a field: what is wrong with it, and what to know about it, such as its bounds. */
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
