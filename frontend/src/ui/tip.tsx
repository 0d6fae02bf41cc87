import type { ReactNode } from 'react';

interface TipProps {
  tip: string | undefined;
  children: ReactNode;
}

/** Content with a tooltip on hover and focus; without `tip`, only the content. */
export function Tip({ tip, children }: TipProps) {
  if (tip === undefined) return children;
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the tooltip must be reachable by keyboard
    <span data-tip={tip} tabIndex={0} className="rounded-control">
      {children}
    </span>
  );
}
