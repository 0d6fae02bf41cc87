import * as v from 'valibot';
import { convertTimes, emptyValues, restoreValues } from '@/form/define-form';
import { limits } from '@/form/limits';
import { personalKeys } from '@/lib/personal-storage';
import { headForm } from './head-form';
import type { ItemValues } from './item-values';

/** The unsaved form values of a new delivery. */
export interface Draft {
  /** The time zone of the times in `head`. */
  timeZone: string;
  head: Record<string, unknown>;
  items: ItemValues[];
}

export const emptyDraft = (timeZone: string): Draft => ({ timeZone, head: emptyValues(headForm), items: [] });

const draftSchema = v.object({
  /** Drafts of an earlier release have none. */
  timeZone: v.optional(v.string()),
  head: v.pipe(
    v.record(v.string(), v.unknown()),
    // In the order of the form, so that drafts can be compared as JSON. Drafts of an earlier release keep what still fits.
    v.transform((head) => restoreValues(headForm, head)),
  ),
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

// Drafts are kept per tab and user. A draft holds names and addresses, so it ends with the tab or the sign-out.
const keyOf = (userId: string) => personalKeys.newDelivery + userId;

/**
 * Returns the draft of this tab with its times converted to the time zone, or an empty draft if there is none or it
 * cannot be read.
 */
export function readDraft(userId: string, timeZone: string): Draft {
  try {
    const text = sessionStorage.getItem(keyOf(userId));
    if (text === null) return emptyDraft(timeZone);
    const { timeZone: from = timeZone, head, items } = v.parse(draftSchema, JSON.parse(text));
    return { timeZone, head: { ...head, ...convertTimes(headForm, head, from, timeZone) }, items };
  } catch {
    return emptyDraft(timeZone);
  }
}

export function writeDraft(userId: string, draft: Draft): void {
  try {
    sessionStorage.setItem(keyOf(userId), JSON.stringify(draft));
  } catch {
    // If storage is full or blocked, the draft is lost only on leaving the page.
  }
}

export function dropDraft(userId: string): void {
  try {
    sessionStorage.removeItem(keyOf(userId));
  } catch {
    // If storage is blocked, there was no draft to remove.
  }
}

export function isEmptyDraft(draft: Draft): boolean {
  return JSON.stringify(draft) === JSON.stringify(emptyDraft(draft.timeZone));
}
