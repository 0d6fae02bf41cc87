import { readQuantity, writeQuantity } from '@/form/quantity';
import type { DeliveryItem } from '../delivery-queries';

/** Form values of one item. */
export interface ItemValues {
  itemNumber: string;
  description: string;
  sku: string;
  unit: string;
  quantity: string;
  weightKg: string;
  barcode: string;
}

export const ITEM_FIELDS = [
  'itemNumber',
  'description',
  'sku',
  'unit',
  'quantity',
  'weightKg',
  'barcode',
] as const;

/** Suggested units; imports may use others. */
export const UNITS = ['pcs', 'pkg', 'box', 'pallet', 'kg', 'lb', 'l'] as const;

export function itemOf(item: DeliveryItem): ItemValues {
  return {
    itemNumber: item.itemNumber,
    description: item.description ?? '',
    sku: item.sku ?? '',
    unit: item.unit ?? '',
    quantity: writeQuantity(item.quantity),
    weightKg: item.weightKg === null ? '' : writeQuantity(item.weightKg),
    barcode: item.barcode ?? '',
  };
}

/** Returns an empty item numbered in steps of ten, as usual on delivery documents. */
export function nextItem(numbers: readonly string[]): ItemValues {
  const highest = Math.max(0, ...numbers.map(Number).filter(Number.isSafeInteger));
  return {
    itemNumber: String(Math.floor(highest / 10) * 10 + 10),
    description: '',
    sku: '',
    unit: 'pcs',
    quantity: '',
    weightKg: '',
    barcode: '',
  };
}

export function itemInput(values: ItemValues) {
  const text = (box: string) => box.trim() || null;
  return {
    itemNumber: values.itemNumber.trim(),
    description: text(values.description),
    sku: text(values.sku),
    unit: text(values.unit),
    quantity: readQuantity(values.quantity) ?? 0,
    weightKg: readQuantity(values.weightKg) ?? null,
    barcode: text(values.barcode),
  };
}
