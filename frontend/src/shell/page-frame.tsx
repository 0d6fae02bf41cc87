import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';

interface PageFrameProps {
  /** Makes the page exactly as high as the rest of the window, for lists that scroll inside their panel. */
  fill?: boolean;
  className?: string;
  children: ReactNode;
}

/** Page padding shared by all screens. */
export function PageFrame({ fill = false, className, children }: PageFrameProps) {
  return (
    <div
      className={cn(
        'flex w-full min-w-0 flex-1 flex-col px-4 pt-4 pb-6 md:px-6 md:pt-5 print:p-0',
        fill && 'md:h-[calc(100dvh-var(--shell-top))] md:flex-none print:block print:h-auto',
        className,
      )}
    >
      {children}
    </div>
  );
}
