import * as v from 'valibot';

/** Where a list was left: what the return to it restores. */
export interface ListPlace {
  search: string;
  scrollTop: number;
  /** The row that was opened. */
  rowId: string;
}

const storedSchema = v.object({
  search: v.string(),
  scrollTop: v.number(),
  rowId: v.string(),
  load: v.number(),
});

const keyOf = (list: string) => `waybill.list.${list}.place`;

/** Keeps where a list was left, for this tab and until the page is loaded again. */
export function keepPlace(list: string, place: ListPlace): void {
  try {
    const stored = { ...place, load: performance.timeOrigin };
    sessionStorage.setItem(keyOf(list), JSON.stringify(stored));
  } catch {
    // Without storage the list begins at the top.
  }
}

/** Returns where a list was left, if it was at the same address. */
export function placeOf(list: string, search: string): ListPlace | undefined {
  try {
    const stored = v.parse(storedSchema, JSON.parse(sessionStorage.getItem(keyOf(list)) ?? ''));
    return stored.load === performance.timeOrigin && stored.search === search ? stored : undefined;
  } catch {
    return undefined;
  }
}
