import type { DeliveryStatus } from '../status-chip';

export type ChartColor =
  | 'ok'
  | 'warn'
  | 'info'
  | 'bad'
  | 'idle'
  | 'accent'
  | 'cat-1'
  | 'cat-2'
  | 'cat-3'
  | 'cat-4'
  | 'cat-5';

export interface ChartSeries {
  id: string;
  label: string;
  /** One value per category; null if missing. */
  values: readonly (number | null)[];
}

export interface ChartData {
  categories: readonly { id: string; label: string }[];
  /** Whether the categories are times, in ascending order. */
  isTime: boolean;
  series: readonly ChartSeries[];
}

/** Style of a series. The fill pattern distinguishes series for people who cannot tell the colors apart. */
export interface SeriesLook {
  color: ChartColor;
  fill: ChartFill;
}

const FILLS = ['solid', 'diagonal', 'dots', 'lines', 'cross', 'back', 'grid', 'upright'] as const;
export type ChartFill = (typeof FILLS)[number];

const categories = ['cat-1', 'cat-2', 'cat-3', 'cat-4', 'cat-5'] as const;

const statuses: Record<DeliveryStatus, SeriesLook> = {
  Complete_No_Variance: { color: 'ok', fill: 'solid' },
  Complete_With_Variance: { color: 'warn', fill: 'diagonal' },
  Undelivered: { color: 'info', fill: 'dots' },
  Rejected: { color: 'bad', fill: 'cross' },
  Pending: { color: 'idle', fill: 'lines' },
};

/** The statuses of outcomes from best to worst, followed by Pending. */
export const STATUS_ORDER = Object.keys(statuses) as readonly DeliveryStatus[];

/** Returns the look of a series. Statuses have their own colors, other series the categorical colors. */
export function seriesLook(id: string, index: number, count: number): SeriesLook {
  if (Object.hasOwn(statuses, id)) return statuses[id as DeliveryStatus];
  if (count === 1) return { color: 'accent', fill: 'solid' };
  return {
    color: categories[index % categories.length] ?? 'cat-1',
    fill: FILLS[index % FILLS.length] ?? 'solid',
  };
}

export function colorValue(color: ChartColor): string {
  return color.startsWith('cat-') ? `var(--${color})` : `var(--chart-${color})`;
}

export function totalOf({ series }: ChartData): number {
  return series.reduce((sum, { values }) => sum + values.reduce<number>((all, value) => all + (value ?? 0), 0), 0);
}
