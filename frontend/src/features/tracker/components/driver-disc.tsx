import { cn } from '@/ui/cn';
import { softTone } from '@/ui/tones';
import { type DriverState, initials } from '../freshness';
import { stateLooks } from './state-look';

/** The initials of a driver; decoration, as the name stands beside them. */
export function DriverDisc({ name, state }: { name: string; state: DriverState }) {
  return (
    <span
      aria-hidden
      className={cn(
        'flex size-8 shrink-0 items-center justify-center rounded-full text-caps font-semibold',
        softTone[stateLooks[state].tone],
      )}
    >
      {initials(name)}
    </span>
  );
}
