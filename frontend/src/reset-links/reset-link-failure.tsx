import { type AppError, errorText } from '@/data/errors';
import { Note } from '@/ui/note';

/** Why there is no link, and what to do about it. */
export function ResetLinkFailure({ failure }: { failure: AppError }) {
  // Who made all the links of a day did nothing wrong.
  const tone = failure.code === 'RATE_LIMITED' ? 'warn' : 'bad';
  return (
    <Note tone={tone} role="alert">
      {errorText(failure)}
    </Note>
  );
}
