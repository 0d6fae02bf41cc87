import { cn } from './cn';
import { Panel } from './panel';

/** Hidden from screen readers, because the container already announces that it is loading. */
export function Skeleton({ className }: { className?: string }) {
  return <span aria-hidden className={cn('block animate-pulse rounded-box bg-hover', className)} />;
}

interface FactsSkeletonProps {
  count: number;
  className?: string;
}

/** Skeleton of a panel with labeled values. `className` sets its layout, without the gaps. */
export function FactsSkeleton({
  count,
  className = 'grid grid-cols-2 lg:grid-cols-3',
}: FactsSkeletonProps) {
  return (
    <Panel className={cn('gap-x-6 gap-y-5 p-4', className)}>
      {Array.from({ length: count }, (_, index) => (
        <div key={index} className="flex flex-col gap-2">
          <Skeleton className="h-2.5 w-16 rounded-full" />
          <Skeleton className="h-3 w-28 rounded-full" />
        </div>
      ))}
    </Panel>
  );
}
