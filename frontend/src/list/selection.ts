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
 * Returns the ids from `anchor` to `id`, both included, in the order of the page. Either may come first. If one of them
 * is not on the page, returns only `id`.
 */
export function between(page: readonly string[], anchor: string | undefined, id: string): string[] {
  const [from, to] = [anchor === undefined ? -1 : page.indexOf(anchor), page.indexOf(id)];
  if (from < 0 || to < 0) return [id];
  return page.slice(Math.min(from, to), Math.max(from, to) + 1);
}
