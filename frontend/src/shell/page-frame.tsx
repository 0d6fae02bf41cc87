import type { ReactNode } from 'react';
import { cn } from '@/ui/cn';

interface PageFrameProps {
  /** Exactly as high as the window leaves: for lists that scroll inside their panel. */
  fill?: boolean;
  className?: string;
  children: ReactNode;
}

/** The padding every screen has around it. */
export function PageFrame({ fill = false, className, children }: PageFrameProps) {
  return (
    <div
      className={cn(
        'flex w-full min-w-0 flex-1 flex-col px-4 pt-4 pb-6 md:px-6 md:pt-5 print:p-0',
        fill && 'md:h-[calc(100dvh-var(--shell-top))] md:flex-none',
        className,
      )}
    >
      {children}
    </div>
  );
}
