import type { ListColumn } from './resource';

type FitColumn = Pick<ListColumn<never>, 'id' | 'width' | 'grow' | 'priority'>;

export interface Fit<Column> {
  columns: Column[];
  /** Widths of the columns, in pixels. */
  widths: number[];
  /** IDs of the columns that do not fit. */
  left: string[];
}

const sum = (columns: readonly FitColumn[]) => columns.reduce((all, { width }) => all + width, 0);

/**
 * Fits columns into a width. Hides columns, the highest priority number first, until the others fit. Columns with
 * `grow` share the remaining width. A width of 0 means that it was not measured yet, so nothing is hidden.
 */
export function fitColumns<Column extends FitColumn>(
  columns: readonly Column[],
  room: number,
): Fit<Column> {
  const leaving = columns
    .filter(({ priority }) => priority !== undefined)
    .toSorted((one, other) => (other.priority ?? 0) - (one.priority ?? 0));
  const gone = new Set<string>();
  const staying = () => columns.filter(({ id }) => !gone.has(id));
  for (const { id } of leaving) {
    if (room === 0 || sum(staying()) <= room) break;
    gone.add(id);
  }
  const shown = staying();
  const shares = shown.reduce((all, { grow = 0 }) => all + grow, 0);
  const spare = Math.max(0, room - sum(shown));
  // If no column has `grow`, the last one gets the spare width. If none got it, the browser would widen all columns
  // and shift the pinned ones.
  const shareOf = ({ grow = 0 }: Column, index: number) =>
    shares > 0 ? (spare * grow) / shares : index === shown.length - 1 ? spare : 0;
  return {
    columns: shown,
    widths: shown.map((column, index) => column.width + shareOf(column, index)),
    left: [...gone],
  };
}
