import type { ChartData } from './chart-data';

const MAX_TICKS = 5;

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
