// What the browser has to know of measures beyond their titles: how they are written, what can be added up, and
// which deliveries they count.
import { formatCount, formatQuantity } from '@/lib/numbers';

const decimal = new Intl.NumberFormat('en-US', { maximumFractionDigits: 1 });

const STATUSES: Readonly<Record<string, readonly string[]>> = {
  'Delivery.count': [],
  'Delivery.pendingCount': ['Pending'],
  'Delivery.completedCount': ['Complete_No_Variance', 'Complete_With_Variance'],
};

const RATES: ReadonlySet<string> = new Set(['Delivery.onTimeRate', 'Delivery.firstAttemptRate', 'Delivery.perfectRate']);
const MEANS: ReadonlySet<string> = new Set(['Delivery.avgStopMinutes']);

/** Whole numbers as they are, rates with a percent sign, means with one digit. */
export function formatMeasure(measure: string): (value: number) => string {
  if (RATES.has(measure)) return (value) => `${decimal.format(value)}%`;
  if (MEANS.has(measure)) return (value) => decimal.format(value);
  return (value) => (Number.isInteger(value) ? formatCount(value) : formatQuantity(value));
}

export function isRate(measure: string): boolean {
  return RATES.has(measure) || MEANS.has(measure);
}

/** Whether the values of its groups make up the value of all: one delivery may be in several groups, and no rate is a sum. */
export function addsUp(measure: string, dimensions: readonly string[]): boolean {
  if (isRate(measure) || measure === 'Shipment.count') return false;
  return measure.startsWith('Variance.') || dimensions.every((dimension) => !dimension.startsWith('Variance.'));
}

/** The statuses of the deliveries that a measure counts, none for all of them; undefined when it counts no deliveries. */
export function countedStatuses(measure: string): readonly string[] | undefined {
  return STATUSES[measure];
}
