import * as v from 'valibot';
import { limits } from '@/form/limits';
import { eachText } from './head-texts';
import { emptyHead, type HeadValues } from './head-values';
import type { ItemValues } from './item-values';

/** A delivery that is being entered: what stands in its boxes. */
export interface Draft {
  id: string;
  sourceId: string;
  head: HeadValues;
  items: ItemValues[];
}

export const emptyDraft = (): Draft => ({ id: '', sourceId: '', head: emptyHead(), items: [] });

const point = v.nullable(
  v.object({ lat: v.number(), lng: v.number(), accuracy: v.nullable(v.number()) }),
);

const draftSchema = v.object({
  id: v.string(),
  sourceId: v.string(),
  head: v.object({
    referencedoc: v.string(),
    shipmentnumber: v.string(),
    customername: v.string(),
    customeraddress: v.object({ address: v.string(), point }),
    trucker: v.string(),
    driverId: v.string(),
    dispatchDate: v.string(),
    dispatchTime: v.string(),
    timeWindowStart: v.string(),
    timeWindowEnd: v.string(),
    ...eachText(() => v.string()),
    priority: v.picklist(['low', 'normal', 'high']),
  }),
  items: v.pipe(
    v.array(
      v.object({
        itemNumber: v.string(),
        description: v.string(),
        sku: v.string(),
        unit: v.string(),
        quantity: v.string(),
        weightKg: v.string(),
        barcode: v.string(),
      }),
    ),
    v.maxLength(limits.items),
  ),
});

// One for each tab and person: it holds names and addresses, and ends with the tab.
const keyOf = (userId: string) => `waybill.new-delivery.${userId}`;

/** The draft of this tab; an empty one when there is none, or none that can be read. */
export function readDraft(userId: string): Draft {
  try {
    const text = sessionStorage.getItem(keyOf(userId));
    return text === null ? emptyDraft() : v.parse(draftSchema, JSON.parse(text));
  } catch {
    return emptyDraft();
  }
}

export function writeDraft(userId: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(userId), JSON.stringify(draft));
  } catch {
    // A full or forbidden storage costs the draft when the page is left, and nothing before.
  }
}

export function dropDraft(userId: string): void {
  try {
    sessionStorage.removeItem(keyOf(userId));
  } catch {
    // Nothing was kept either.
  }
}

export function isEmptyDraft(draft: Draft): boolean {
  return JSON.stringify(draft) === JSON.stringify(emptyDraft());
}
