import { cn } from './cn';

interface AvatarProps {
  name: string;
  /** For users who cannot sign in. */
  muted?: boolean;
}

/** The first letter of a name. Decorative, since the name is shown beside it. */
export function Avatar({ name, muted = false }: AvatarProps) {
  return (
    <span
      aria-hidden
      className={cn(
        'flex size-7 shrink-0 items-center justify-center rounded-full text-xs font-semibold uppercase',
        muted ? 'bg-idle-soft text-idle' : 'bg-accent-soft text-accent',
      )}
    >
      {Array.from(name)[0]}
    </span>
  );
}
