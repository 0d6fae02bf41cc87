import { readQuantity, writeQuantity } from '@/form/quantity';
import type { DeliveryItem, DeliveryStatus, ItemCondition } from './delivery-queries';

// Quantities have three decimals; integers avoid floating-point errors when comparing and adding.
const thousandths = (amount: number) => Math.round(amount * 1000);

interface Counted {
  quantity: number;
  quantityDelivered: number;
  quantityRejected: number;
  condition: ItemCondition;
}

/** Whether the counted line has a variance. */
export function differs(line: Omit<Counted, 'quantityRejected'>): boolean {
  return (
    thousandths(line.quantityDelivered) !== thousandths(line.quantity) || line.condition !== 'ok'
  );
}

/** Formats the difference with a sign, using the typographic minus: '−2', '+3', '0'. */
export function formatDifference(line: Pick<Counted, 'quantity' | 'quantityDelivered'>): string {
  return formatSigned(
    (thousandths(line.quantityDelivered) - thousandths(line.quantity)) / 1000,
  );
}

export function formatSigned(amount: number): string {
  const digits = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 }).format(
    Math.abs(amount),
  );
  if (amount === 0) return digits;
  return amount < 0 ? `−${digits}` : `+${digits}`;
}

export function sumOf<Key extends string>(
  lines: readonly Record<Key, number>[],
  key: Key,
): number {
  return lines.reduce((sum, line) => sum + thousandths(line[key]), 0) / 1000;
}

/**
 * Returns the status that the counts imply, or undefined if nothing was expected and nothing came. It is for display
 * only, since the server decides.
 */
export function impliedStatus(lines: readonly Counted[]): DeliveryStatus | undefined {
  const isSilent = (line: Counted) =>
    line.quantity === 0 && line.quantityRejected === 0 && !differs(line);
  if (lines.every(isSilent)) return undefined;
  if (lines.some((line) => line.quantityDelivered > 0)) {
    return lines.some(differs) ? 'Complete_With_Variance' : 'Complete_No_Variance';
  }
  const isRefused =
    lines.some((line) => line.quantityRejected > 0) &&
    lines.every((line) => line.quantityRejected >= line.quantity);
  return isRefused ? 'Rejected' : 'Undelivered';
}

/**
 * The form values of one counted line. They are named like the fields of the mutation's input, so that the server's
 * errors find their fields.
 */
export interface LineValues {
  itemNumber: string;
  quantityDelivered: string;
  quantityRejected: string;
  condition: ItemCondition;
  varianceReason: string;
  varianceNote: string;
}

/** Values for a line delivered as expected, the usual case. */
export function asExpected(item: DeliveryItem): LineValues {
  return {
    itemNumber: item.itemNumber,
    quantityDelivered: writeQuantity(item.quantity),
    quantityRejected: '0',
    condition: 'ok',
    varianceReason: '',
    varianceNote: '',
  };
}

/** Values of a line from the recorded outcome. */
export function asCounted(item: DeliveryItem): LineValues {
  return {
    itemNumber: item.itemNumber,
    quantityDelivered: writeQuantity(item.quantityDelivered),
    quantityRejected: writeQuantity(item.quantityRejected),
    condition: item.condition,
    varianceReason: item.varianceReason ?? '',
    varianceNote: item.varianceNote ?? '',
  };
}

/** Parses the inputs of a line; undefined if one is not a valid amount. */
export function countOf(line: LineValues, quantity: number): Counted | undefined {
  const quantityDelivered = readQuantity(line.quantityDelivered);
  const quantityRejected = readQuantity(line.quantityRejected);
  if (quantityDelivered === undefined || quantityDelivered < 0) return undefined;
  if (quantityRejected === undefined || quantityRejected < 0) return undefined;
  return { quantity, quantityDelivered, quantityRejected, condition: line.condition };
}

/** Whether a line takes a reason: it has a variance or an overdelivery. */
export function wantsReason(count: Counted): boolean {
  const brought = thousandths(count.quantityDelivered) + thousandths(count.quantityRejected);
  return differs(count) || brought > thousandths(count.quantity);
}

/** Converts a line to its mutation input. A line that takes no reason is sent without one. */
export function toInput(line: LineValues, quantity: number) {
  const count = countOf(line, quantity);
  const hasReason = count !== undefined && wantsReason(count);
  return {
    itemNumber: line.itemNumber,
    quantityDelivered: count?.quantityDelivered ?? 0,
    quantityRejected: count?.quantityRejected ?? 0,
    condition: line.condition,
    varianceReason: (hasReason && line.varianceReason) || null,
    varianceNote: line.varianceNote.trim() || null,
  };
}

/**
 * Carries edited lines over to reloaded items. Edited lines keep their values, others are filled from the item, and
 * lines of removed items are dropped.
 */
export function mergeLines(
  before: readonly DeliveryItem[],
  after: readonly DeliveryItem[],
  typed: readonly LineValues[],
  initial: (item: DeliveryItem) => LineValues,
): LineValues[] {
  return after.map((item) => {
    const own = typed.find(({ itemNumber }) => itemNumber === item.itemNumber);
    const known = before.find(({ itemNumber }) => itemNumber === item.itemNumber);
    const isTouched = own && known && JSON.stringify(own) !== JSON.stringify(initial(known));
    return isTouched ? own : initial(item);
  });
}
