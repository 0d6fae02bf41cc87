import type { ComponentProps, ReactNode } from 'react';
import { cn } from './cn';

export function Panel({ className, ...rest }: ComponentProps<'section'>) {
  return (
    <section
      className={cn('min-w-0 rounded-panel border border-line bg-surface', className)}
      {...rest}
    />
  );
}

interface PanelHeadProps {
  title: ReactNode;
  note?: ReactNode;
  tools?: ReactNode;
  /** A rule below the head: for tables; facts and text go without. */
  line?: boolean;
  /** Names the panel when its `aria-labelledby` points here. */
  id?: string;
  as?: 'h2' | 'h3';
}

export function PanelHead({
  title,
  note,
  tools,
  line = false,
  id,
  as: Heading = 'h2',
}: PanelHeadProps) {
  return (
    <div
      className={cn(
        'flex min-h-11 flex-wrap items-center gap-x-3 gap-y-1 px-4 py-1.5',
        line && 'border-b border-line',
      )}
    >
      <Heading id={id} className="text-base font-semibold">
        {title}
      </Heading>
      {note && <span className="text-xs text-muted">{note}</span>}
      {tools && <div className="ml-auto flex items-center gap-2">{tools}</div>}
    </div>
  );
}
