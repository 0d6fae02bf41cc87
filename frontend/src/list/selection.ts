import { MAX_SELECTED } from './resource';

/** Selected ids in order of selection; at most as many as a bulk mutation accepts. */
export type SelectedIds = ReadonlySet<string>;

export interface SelectionChange {
  ids: SelectedIds;
  /** Whether the selection has reached the maximum number of rows. */
  full: boolean;
}

export function withIds(ids: SelectedIds, added: readonly string[]): SelectionChange {
  const next = new Set([...ids, ...added]);
  if (next.size <= MAX_SELECTED) return { ids: next, full: false };
  return { ids: new Set([...next].slice(0, MAX_SELECTED)), full: true };
}

export function withoutIds(ids: SelectedIds, removed: readonly string[]): SelectionChange {
  const gone = new Set(removed);
  return { ids: new Set([...ids].filter((id) => !gone.has(id))), full: false };
}

/**
 * Returns the rows between two rows of a page, in either order. If the first is no longer there, returns only the
 * second.
 */
export function between(page: readonly string[], anchor: string | undefined, id: string): string[] {
  const [from, to] = [anchor === undefined ? -1 : page.indexOf(anchor), page.indexOf(id)];
  if (from < 0 || to < 0) return [id];
  return page.slice(Math.min(from, to), Math.max(from, to) + 1);
}
