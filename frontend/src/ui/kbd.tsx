import type { ReactNode } from 'react';

export function Kbd({ children }: { children: ReactNode }) {
  return (
    <kbd className="inline-flex h-5 min-w-5 items-center justify-center rounded-box border border-line2 bg-surface px-1 font-sans text-caps text-muted">
      {children}
    </kbd>
  );
}
