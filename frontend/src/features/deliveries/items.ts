import type { DeliveryItem } from './delivery-queries';

/** The item of a number, ignoring case as the server does. */
export function findItem(
  items: readonly DeliveryItem[],
  itemNumber: string,
): DeliveryItem | undefined {
  const wanted = itemNumber.trim().toLowerCase();
  return items.find((item) => item.itemNumber.toLowerCase() === wanted);
}
