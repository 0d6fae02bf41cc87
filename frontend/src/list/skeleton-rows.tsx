import { cn } from '@/ui/cn';
import { Skeleton } from '@/ui/skeleton';
import type { ListColumn } from './resource';

interface SkeletonRowsProps {
  count: number;
  columns: readonly Pick<ListColumn<never>, 'id' | 'kind'>[];
  /** Class of the height of the rows to come. */
  height: string;
  /** A column of boxes comes first. */
  selectable: boolean;
}

// Uneven on purpose: equal bars read as a table of nothing.
const widths = ['w-4/5', 'w-3/4', 'w-3/5', 'w-11/12', 'w-2/3'];

/** Keeps the height of the rows to come, so that nothing jumps when they arrive. */
export function SkeletonRows({ count, columns, height, selectable }: SkeletonRowsProps) {
  return Array.from({ length: count }, (_, row) => (
    <tr key={row} aria-hidden className={cn('border-b border-line', height)}>
      {selectable && (
        <td>
          <Skeleton className="mx-auto size-4 rounded-box" />
        </td>
      )}
      {columns.map(({ id, kind }, index) => (
        <td key={id} className="px-3">
          <Skeleton
            className={cn(
              'h-2.5 rounded-full',
              kind === 'number' ? 'ml-auto w-8' : widths[(row + index * 2) % widths.length],
            )}
          />
        </td>
      ))}
    </tr>
  ));
}
