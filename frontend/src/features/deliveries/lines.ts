import { readQuantity, writeQuantity } from '@/form/quantity';
import type { DeliveryItem, DeliveryStatus, ItemCondition } from './delivery-queries';

// Quantities have three decimals. Compared and added as they come, some would be off by a hair.
const thousandths = (amount: number) => Math.round(amount * 1000);

interface Counted {
  quantity: number;
  quantityDelivered: number;
  quantityRejected: number;
  condition: ItemCondition;
}

/** Whether a line is a variance. */
export function differs(line: Omit<Counted, 'quantityRejected'>): boolean {
  return (
    thousandths(line.quantityDelivered) !== thousandths(line.quantity) || line.condition !== 'ok'
  );
}

/** With its sign, the minus as long as the plus: '−2', '+3', '0'. */
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
 * The one status that goes with what was counted; none when nothing was expected and nothing came.
 * Only shown: the server decides.
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

/** One line of the form that counts. The names are those of what is sent, so that errors find it. */
export interface LineValues {
  itemNumber: string;
  quantityDelivered: string;
  quantityRejected: string;
  condition: ItemCondition;
  varianceReason: string;
  varianceNote: string;
}

/** Everything handed over as expected: what is true of most lines. */
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

/** As it was counted before. */
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

/** What the boxes of a line say; undefined while one of them holds no amount. */
export function countOf(line: LineValues, quantity: number): Counted | undefined {
  const quantityDelivered = readQuantity(line.quantityDelivered);
  const quantityRejected = readQuantity(line.quantityRejected);
  if (quantityDelivered === undefined || quantityDelivered < 0) return undefined;
  if (quantityRejected === undefined || quantityRejected < 0) return undefined;
  return { quantity, quantityDelivered, quantityRejected, condition: line.condition };
}

/** Whether a line may have a reason: it differs, or more was brought than expected. */
export function wantsReason(count: Counted): boolean {
  const brought = thousandths(count.quantityDelivered) + thousandths(count.quantityRejected);
  return differs(count) || brought > thousandths(count.quantity);
}

/** What is sent of a line. A reason stays away where nothing differs. */
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
 * The lines of the form on newer items: what somebody typed about an item stays, an untouched or new
 * one is as the form would have it, one that is gone is gone.
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
