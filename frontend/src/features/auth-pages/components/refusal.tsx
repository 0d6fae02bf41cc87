import type { AppError } from '@/data/errors';
import { Note } from '@/ui/note';

interface RefusalProps {
  failure: AppError | undefined;
  /** What else may stand here when nothing was refused. */
  fallback?: string | undefined;
}

/** Why the server said no. To wait is no mistake, so that it looks different. */
export function Refusal({ failure, fallback }: RefusalProps) {
  const text = failure ? (failure.detail ?? failure.message) : fallback;
  if (!text) return null;
  return (
    <Note tone={failure?.code === 'RATE_LIMITED' ? 'warn' : 'bad'} role="alert">
      {text}
    </Note>
  );
}
