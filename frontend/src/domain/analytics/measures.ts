// Properties of measures besides their titles: format, additivity, and the deliveries they count.
import { formatCount, formatQuantity } from '@/lib/numbers';
import { COMPARED, QUERY_NUMBER } from './query';

const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

/** The statuses of deliveries that were handed over. */
export const COMPLETE = ['Complete_No_Variance', 'Complete_With_Variance'] as const;

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  'Delivery.count': [],
  'Delivery.pendingCount': ['Pending'],
  'Delivery.completedCount': COMPLETE,
};

const RATES: ReadonlySet<string> = new Set(['Delivery.onTimeRate', 'Delivery.firstAttemptRate', 'Delivery.perfectRate']);
const MEANS: ReadonlySet<string> = new Set(['Delivery.avgStopMinutes']);

/** Formats counts as whole numbers, rates as percentages, and averages with one decimal. */
export function formatMeasure(measure: string): (value: number) => string {
  if (RATES.has(measure)) return (value) => `${decimal.format(value)}%`;
  if (MEANS.has(measure)) return (value) => decimal.format(value);
  return (value) => (Number.isInteger(value) ? formatCount(value) : formatQuantity(value));
}

export function isRate(measure: string): boolean {
  return RATES.has(measure) || MEANS.has(measure);
}

/**
 * Whether the values of groups add up to the total. Rates do not, and neither do counts if a delivery can be in several
 * groups, as it can be in several compared ranges or blended queries.
 */
export function addsUp(measure: string, dimensions: readonly string[]): boolean {
  if (isRate(measure) || measure === 'Shipment.count') return false;
  if (dimensions.includes(COMPARED) || dimensions.includes(QUERY_NUMBER)) return false;
  return measure.startsWith('Variance.') || dimensions.every((dimension) => !dimension.startsWith('Variance.'));
}

/**
 * Whether a chart that shows only the first `drawn` of the dimensions is right. It adds up the values of groups that differ
 * in the others.
 */
export function isDrawable(measure: string, dimensions: readonly string[], drawn: number): boolean {
  return dimensions.length <= drawn || addsUp(measure, dimensions);
}

/**
 * Returns the statuses of the deliveries that a measure counts; an empty list means all. Returns undefined if the
 * measure counts something else.
 */
export function countedStatuses(measure: string): readonly string[] | undefined {
  return STATUSES[measure];
}
