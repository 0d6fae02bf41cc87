import type { LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';

/** A word in an outline: on paper there is no colour to rely on. */
export function PaperMark({ icon: Icon, children }: { icon: LucideIcon; children: ReactNode }) {
  return (
    <span className="inline-flex items-center gap-1 rounded-full border border-fg px-2 text-caps font-semibold whitespace-nowrap">
      <Icon aria-hidden className="size-3 shrink-0" />
      {children}
    </span>
  );
}
