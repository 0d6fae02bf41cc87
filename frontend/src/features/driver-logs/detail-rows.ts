/** The entries of a detail by name. One that is no object is a single entry without a name of its own. */
export function detailRows(detail: unknown): [name: string, value: unknown][] {
  if (detail === null || detail === undefined || detail === '') return [];
  if (typeof detail !== 'object' || Array.isArray(detail)) return [['value', detail]];
  return Object.entries(detail);
}
