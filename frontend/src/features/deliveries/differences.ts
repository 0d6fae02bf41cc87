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

/** The remaining fields that `headForm` sends, so that no change is missed that saving the form would overwrite. */
const others = shownFields(headForm, false)
  .flatMap(([name, field]) => ('parts' in field ? field.parts : [name]))
  .map((name) => name as keyof Delivery)
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

type Value = string | number | null;

const scalar = (value: unknown): Value => (typeof value === 'string' || typeof value === 'number' ? value : null);
const textOf = (value: Value) => (value === null ? null : String(value));

/** The values of a field, by their names in the history. A location has three. */
function entriesOf(delivery: Delivery, field: keyof Delivery): [string, Value][] {
  if (field !== 'addressPoint') return [[field, scalar(delivery[field])]];
  const point = delivery.addressPoint;
  return [
    ['addressLat', point?.lat ?? null],
    ['addressLng', point?.lng ?? null],
    ['addressAccuracy', point?.accuracy ?? null],
  ];
}

/** Returns what changed between two versions of a delivery. */
export function differencesBetween(before: Delivery, after: Delivery): Difference[] {
  if (before === after) return [];
  const found: Difference[] = [];
  const compare = (itemNumber: string | null, field: string, one: Value, other: Value) => {
    if (one !== other) {
      found.push({ itemNumber, field, before: textOf(one), after: textOf(other) });
    }
  };
  const later = new Map(FIELDS.flatMap((field) => entriesOf(after, field)));
  for (const [field, value] of FIELDS.flatMap((name) => entriesOf(before, name))) {
    compare(null, field, value, later.get(field) ?? null);
  }
  const known = new Map(before.items.map((item) => [item.itemNumber, item]));
  for (const item of after.items) {
    const own = known.get(item.itemNumber);
    known.delete(item.itemNumber);
    if (!own) compare(item.itemNumber, 'itemNumber', null, item.itemNumber);
    else for (const field of ITEM_FIELDS) compare(item.itemNumber, field, own[field], item[field]);
  }
  for (const itemNumber of known.keys()) compare(itemNumber, 'itemNumber', itemNumber, null);
  // Most actions end a conflict, so nobody may take one without having seen the driver's update.
  const seen = new Set(before.history.map(({ id }) => id));
  const late = after.history.findLast(({ id, superseded }) => superseded && !seen.has(id));
  if (late) compare(null, 'lateUpdate', null, late.toStatus);
  return found;
}
