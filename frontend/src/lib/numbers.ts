const whole = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });
const quantity = new Intl.NumberFormat('en-US', { maximumFractionDigits: 3 });

export function formatCount(count: number): string {
  return whole.format(count);
}

/** Formats the count of a list, with a plus sign if the server stopped counting at its limit. */
export function formatListCount({ total, exact }: { total: number; exact: boolean }): string {
  return `${formatCount(total)}${exact ? '' : '+'}`;
}

export function formatQuantity(amount: number): string {
  return quantity.format(amount);
}

const KIB = 1024;

export function formatBytes(bytes: number): string {
  if (bytes < KIB) return `${bytes} B`;
  if (bytes < KIB * KIB) return `${Math.round(bytes / KIB)} KB`;
  return `${(bytes / KIB / KIB).toFixed(1)} MB`;
}

/** Formats a file size limit: '10 MB', with 1,048,576 bytes per MB as everywhere in the app. */
export function formatLimit(bytes: number): string {
  return `${quantity.format(Math.floor((bytes / KIB / KIB) * 100) / 100)} MB`;
}

export function percent(part: number, total: number): number {
  if (!(total > 0)) return 0;
  return Math.min(100, Math.max(0, Math.round((part / total) * 100)));
}
