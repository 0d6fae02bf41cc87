import type { CellKind, SortEntry } from './resource';

/** Times and numbers are asked for newest and largest first, words from A. */
function firstDirection(kind: CellKind): SortEntry['direction'] {
  return kind === 'datetime' || kind === 'number' ? 'desc' : 'asc';
}

/** One way, the other way, then back to the list's own order. */
export function nextSort(
  current: readonly SortEntry[],
  column: { id: string; kind: CellKind },
  defaultSort: readonly SortEntry[],
): SortEntry[] {
  const [sorted] = current;
  const first = firstDirection(column.kind);
  if (sorted?.key !== column.id) return [{ key: column.id, direction: first }];
  if (sorted.direction === first) {
    return [{ key: column.id, direction: first === 'asc' ? 'desc' : 'asc' }];
  }
  return [...defaultSort];
}
