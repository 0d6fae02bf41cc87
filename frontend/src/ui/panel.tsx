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
  /** Adds a line below the header, for tables. */
  line?: boolean;
  /** ID of the heading, for `aria-labelledby` on the panel. */
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
      <Heading dir="auto" id={id} className="text-base font-semibold">
        {title}
      </Heading>
      {note && <span className="text-xs text-muted">{note}</span>}
      {tools && <div className="ms-auto flex items-center gap-2">{tools}</div>}
    </div>
  );
}

interface FactsProps {
  columns?: 1 | 2 | 3 | 4;
  className?: string;
  children: ReactNode;
}

const grids = {
  1: 'grid-cols-1',
  2: 'grid-cols-1 sm:grid-cols-2',
  3: 'grid-cols-2 lg:grid-cols-3',
  4: 'grid-cols-2 lg:grid-cols-4',
};

export function Facts({ columns = 4, className, children }: FactsProps) {
  return (
    <dl className={cn('grid gap-x-6 gap-y-3', grids[columns], className)}>{children}</dl>
  );
}

/** An email address. It breaks at the @ if the line is too short for it, not within a word. */
export function EmailText({ address }: { address: string }) {
  const at = address.lastIndexOf('@');
  if (at < 0) return address;
  return (
    <>
      {address.slice(0, at)}
      <wbr />
      {address.slice(at)}
    </>
  );
}

interface FactProps {
  label: ReactNode;
  /** If the value is undefined, null or an empty string, `empty` is shown, muted. */
  value: ReactNode;
  empty?: string;
  wide?: boolean;
}

export function Fact({ label, value, empty, wide = false }: FactProps) {
  const missing = value === null || value === undefined || value === '';
  return (
    <div className={cn('min-w-0', wide && 'col-span-2')}>
      <dt className="text-xs text-muted">{label}</dt>
      {/* Names and notes may be in a right-to-left script. */}
      <dd dir="auto" className={cn('mt-0.5 text-sm wrap-anywhere', missing && 'text-muted')}>
        {missing ? empty : value}
      </dd>
    </div>
  );
}
