/** One field of an entry as it was and as it is. Undefined: nothing was said about that side. */
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

/** Both sides of an entry, field by field: those of before first, in their order. */
export function changesOf(before: unknown, after: unknown): Change[] {
  const was = fieldsOf(before);
  const is = fieldsOf(after);
  return [...new Set([...Object.keys(was), ...Object.keys(is)])].map((field) => ({
    field,
    before: was[field],
    after: is[field],
  }));
}
