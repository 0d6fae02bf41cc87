import type { ReactNode, Ref } from 'react';
import { cn } from '@/ui/cn';

interface ListRegionProps {
  ref: Ref<HTMLDivElement>;
  label: string;
  loading: boolean;
  narrow: boolean;
  /** What floats over the last rows. */
  bar: ReactNode;
  barShown: boolean;
  children: ReactNode;
}

/** Where the rows scroll. On a narrow screen the page does. */
export function ListRegion({ ref, label, loading, narrow, bar, barShown, children }: ListRegionProps) {
  return (
    <div className="relative flex min-h-0 flex-1 flex-col">
      <div
        ref={ref}
        role="region"
        aria-label={label}
        aria-busy={loading}
        tabIndex={narrow ? -1 : 0}
        className={cn(
          'flex min-h-0 flex-1 flex-col focus-visible:-outline-offset-2',
          !narrow && 'scroll-pt-9 overflow-auto',
          // Room to scroll the last rows out from below the bar.
          barShown && 'scroll-pb-20 pb-16',
        )}
      >
        {children}
      </div>
      {bar}
    </div>
  );
}
