import { cn } from './cn';

/** Hidden from screen readers, because the container already announces that it is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block animate-pulse rounded-box bg-hover', className)} />;
}
