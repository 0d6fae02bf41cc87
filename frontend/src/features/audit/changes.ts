/** One field before and after. A side that does not contain the field is undefined. */
export interface Change {
  field: string;
  before: unknown;
  after: unknown;
}

function fieldsOf(side: unknown): Record<string, unknown> {
  if (typeof side === 'object' && side !== null && !Array.isArray(side)) {
    return side as Record<string, unknown>;
  }
  return {};
}

/** Compares both sides of an entry field by field, in the order of `before`. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((field) => ({
    field,
    before: was[field],
    after: is[field],
  }));
}
