import { ArrowDown, ArrowUp, ChevronsUpDown } from 'lucide-react';
import { cn } from '@/ui/cn';

interface ColumnHeaderProps {
  label: string;
  end: boolean;
  sorted: false | 'asc' | 'desc';
  primary: boolean;
  onSort: (() => void) | undefined;
  className?: string | false | undefined;
}

// A border would scroll away under a sticky cell, a shadow stays.
export const headerCell =
  'sticky top-0 z-10 h-9 bg-raised px-3 text-xs font-medium whitespace-nowrap shadow-[inset_0_-1px_0_var(--line)]';

const words = { asc: 'ascending', desc: 'descending' } as const;

export function ColumnHeader({ label, end, sorted, primary, onSort, className }: ColumnHeaderProps) {
  const Arrow = sorted === 'asc' ? ArrowUp : sorted === 'desc' ? ArrowDown : ChevronsUpDown;
  return (
    <th
      scope="col"
      aria-sort={sorted && primary ? words[sorted] : undefined}
      className={cn(
        headerCell,
        end && 'text-right',
        sorted ? 'text-fg' : 'text-muted',
        className,
      )}
      data-tip-cut
    >
      {onSort ? (
        <button
          type="button"
          onClick={onSort}
          className={cn(
            'group -mx-1.5 inline-flex h-7 max-w-full items-center gap-1 rounded-box px-1.5 hover:bg-hover hover:text-fg',
            end && 'flex-row-reverse',
          )}
        >
          <span className="truncate">{label}</span>
          <Arrow
            aria-hidden
            className={cn(
              'size-3.5 shrink-0',
              !sorted && 'opacity-0 group-hover:opacity-100 group-focus-visible:opacity-100',
            )}
          />
        </button>
      ) : (
        <span className="block truncate">{label}</span>
      )}
    </th>
  );
}
