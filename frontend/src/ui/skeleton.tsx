import { cn } from './cn';

/** Decoration only: the place that loads says so itself, once, in words. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block animate-pulse rounded-box bg-hover', className)} />;
}
