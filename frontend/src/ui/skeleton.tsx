import { cn } from './cn';

/** Decorative: the loading container announces itself once. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block animate-pulse rounded-box bg-hover', className)} />;
}
