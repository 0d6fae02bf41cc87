import type { ChartData } from './chart-data';

/** With up to this many categories, `axisNames` names them. With more, recharts places as many names as fit. */
export const MAX_PLACED = 8;
/** Average width of a character of the names, in pixels. */
const CHARACTER = 6.4;
const MAX_TICKS = 5;

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

/**
 * Returns the settings of the value axis. Whole values get whole ticks; of low ones also fewer, because recharts would
 * otherwise place ticks between them or draw the axis much higher than the values.
 */
export function valueTicks({ categories, series }: Pick<ChartData, 'categories' | 'series'>, isStacked: boolean) {
  const values = series.flatMap((entry) => entry.values.map((value) => value ?? 0));
  if (!values.every(Number.isInteger)) return { allowDecimals: true, tickCount: MAX_TICKS };
  const heights = isStacked
    ? categories.map((_, index) => series.reduce((sum, entry) => sum + (entry.values[index] ?? 0), 0))
    : values;
  const most = heights.reduce((highest, height) => Math.max(highest, height), 0);
  return { allowDecimals: false, tickCount: Math.min(MAX_TICKS, Math.max(2, most + 1)) };
}
