import type { ChartData } from './chart-data';

/** With up to this many categories, `axisNames` names them. With more, recharts places as many names as fit. */
export const MAX_PLACED = 8;
/** Average width of a character of the names, in pixels. */
const CHARACTER = 6.4;

/**
 * Returns the names below an axis of this width in pixels, by category. Times are named in full, but only as many as
 * fit, at equal distances. Other categories are all named, shortened if necessary.
 */
export function axisNames({ categories, isTime }: Pick<ChartData, 'categories' | 'isTime'>, width: number) {
  const slot = width / categories.length;
  // Leave at least the width of one character between names.
  const longest = Math.max(...categories.map(({ label }) => lengthOf(label) + 1));
  const step = isTime ? Math.max(1, Math.ceil((longest * CHARACTER) / slot)) : 1;
  const named = categories.filter((_, index) => index % step === 0);
  return new Map(named.map(({ id, label }) => [id, isTime ? label : shortened(label, slot)]));
}

const lengthOf = (name: string) => [...name].length;

/** Cuts a name to a width in pixels. */
function shortened(name: string, width: number): string {
  const fits = Math.max(1, Math.floor(width / CHARACTER) - 1);
  return lengthOf(name) <= fits ? name : `${[...name].slice(0, fits - 1).join('').trimEnd()}…`;
}
