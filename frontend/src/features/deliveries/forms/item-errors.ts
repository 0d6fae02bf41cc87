import type { AppError } from '@/data/errors';

const OF_AN_ITEM = /^(?:items?|lines)(?:\.(\d+))?\.(\w+)$/;

/** What the server says about an item, under the names of its form alone. */
export function itemErrors(failed: AppError): AppError {
  const fields = Object.entries(failed.fields).map(([name, texts]) => [
    OF_AN_ITEM.exec(name)?.[2] ?? name,
    texts,
  ]);
  return { ...failed, fields: Object.fromEntries(fields) as AppError['fields'] };
}

/** The same for a whole list of items: messages by item number. */
export function wrongItems(
  failed: AppError | undefined,
  items: readonly { itemNumber: string }[],
): ReadonlyMap<string, string> {
  const wrong = new Map<string, string>();
  for (const [name, texts] of Object.entries(failed?.fields ?? {})) {
    const item = items[Number(OF_AN_ITEM.exec(name)?.[1])];
    if (item) wrong.set(item.itemNumber, texts.join(' '));
  }
  return wrong;
}
