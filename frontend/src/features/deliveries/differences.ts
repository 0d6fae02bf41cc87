import type { Delivery, DeliveryItem } from './delivery-queries';
import { HEAD_TEXTS } from './edit/head-texts';

/** One field that is not what it was. The history of a delivery has the same shape. */
export interface Difference {
  /** Of the item it is a field of. */
  itemNumber: string | null;
  field: string;
  before: string | null;
  after: string | null;
}

const FIELDS = [
  'deliverystatus',
  'attempt',
  'scheduledatetime',
  'timeWindowStart',
  'timeWindowEnd',
  'customername',
  'customeraddress',
  'shipmentnumber',
  'referencedoc',
  'trucker',
  'driverId',
  ...HEAD_TEXTS,
  'priority',
  'outcomeReason',
  'outcomeNote',
  'receivedBy',
  'receivedByRelation',
] as const satisfies readonly (keyof Delivery)[];

const ITEM_FIELDS = [
  'sku',
  'description',
  'unit',
  'quantity',
  'weightKg',
  'barcode',
  'quantityDelivered',
  'quantityRejected',
  'condition',
  'varianceReason',
  'varianceNote',
] as const satisfies readonly (keyof DeliveryItem)[];

const textOf = (value: string | number | null) => (value === null ? null : String(value));

/** What somebody else made of a delivery since it was read. */
export function differencesBetween(before: Delivery, after: Delivery): Difference[] {
  if (before === after) return [];
  const found: Difference[] = [];
  const compare = (
    itemNumber: string | null,
    field: string,
    one: string | number | null,
    other: string | number | null,
  ) => {
    if (one !== other) {
      found.push({ itemNumber, field, before: textOf(one), after: textOf(other) });
    }
  };
  for (const field of FIELDS) compare(null, field, before[field], after[field]);
  const known = new Map(before.items.map((item) => [item.itemNumber, item]));
  for (const item of after.items) {
    const own = known.get(item.itemNumber);
    known.delete(item.itemNumber);
    if (!own) compare(item.itemNumber, 'itemNumber', null, item.itemNumber);
    else for (const field of ITEM_FIELDS) compare(item.itemNumber, field, own[field], item[field]);
  }
  for (const itemNumber of known.keys()) compare(itemNumber, 'itemNumber', itemNumber, null);
  return found;
}
