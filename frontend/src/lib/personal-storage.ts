// What pages store in the browser about the work of a person: drafts, queries and what was opened. It names customers, drivers
// and recipients, and others may use the computer, so it ends with the sign-out.

/** Beginnings of keys; the user's ID follows. */
export const personalKeys = {
  newDelivery: 'waybill.new-delivery.',
  queryLab: 'waybill.query-lab.',
  recent: 'waybill.recent.',
} as const;

/** Key of the position in a list, with its filters. */
export const listPlaceKey = (list: string) => `waybill.list.${list}.place`;
const LIST_PLACE = /^waybill\.list\..+\.place$/;

/** Key of the view that a list opens with: the query of a saved one, or the ID of one that everybody has, which stays. */
export const listViewKey = (list: string) => `waybill.list.${list}.view`;
const LIST_VIEW = /^waybill\.list\..+\.view(?:\.|$)/;

function isPersonal(key: string, value: string): boolean {
  if (Object.values(personalKeys).some((beginning) => key.startsWith(beginning))) return true;
  return LIST_PLACE.test(key) || (LIST_VIEW.test(key) && value.startsWith('"?'));
}

/**
 * Removes what pages have stored about a person's work, of all users of this browser or of one. Another user may be at work
 * in another tab, whose own storage is the local one alone.
 */
export function clearPersonalStorage(userId?: string): void {
  for (const name of ['localStorage', 'sessionStorage'] as const) {
    try {
      const storage = globalThis[name];
      const keys = Array.from({ length: storage.length }, (_, at) => storage.key(at) ?? '');
      const isMeant = (key: string) => userId === undefined || name === 'sessionStorage' || key.endsWith(`.${userId}`);
      for (const key of keys) if (isMeant(key) && isPersonal(key, storage.getItem(key) ?? '')) storage.removeItem(key);
    } catch {
      // If storage is blocked, nothing was stored.
    }
  }
}
