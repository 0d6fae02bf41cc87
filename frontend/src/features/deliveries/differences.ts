import { shownFields } from '@/form/define-form';
import type { Delivery, DeliveryItem } from './delivery-queries';
import { headForm } from './edit/head-form';

/** One changed field, in the same shape as in the history of a delivery. */
export interface Difference {
  /** The item that the field belongs to; null for a field of the delivery itself. */
  itemNumber: string | null;
  field: string;
  before: string | null;
  after: string | null;
}

const FIRST: readonly (keyof Delivery)[] = [
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
];

const LAST: readonly (keyof Delivery)[] = ['outcomeReason', 'outcomeNote', 'receivedBy', 'receivedByRelation'];

/**
 * The remaining fields of `headForm`. Fields with `parts` are left out, since none of them is a single field of a
 * delivery.
 */
const others = shownFields(headForm, false)
  .filter(([, field]) => !('parts' in field))
  .map(([name]) => name as keyof Delivery)
  .filter((name) => !FIRST.includes(name));

const FIELDS = [...FIRST, ...others, ...LAST];

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

const scalar = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? value : null);
const textOf = (value: string | number | null) => (value === null ? null : String(value));

/** Returns what changed between two versions of a delivery. */
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
  for (const field of FIELDS) compare(null, field, scalar(before[field]), scalar(after[field]));
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
