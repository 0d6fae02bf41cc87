// Reads the imported file without the product's code, so that tests can compare the product with the file.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export const fixture = (name: string) =>
  fileURLToPath(new URL(`../../services/upload/fixtures/${name}`, import.meta.url));

/** Returns the rows of a CSV text. Quoted fields may contain commas, quotes and line breaks. */
export function parseCsv(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  // Each match is one field and the character that ends it.
  const fields = /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r?\n|$)/gy;
  for (const [, quoted, plain, end] of text.replace(/^\ufeff/, '').matchAll(fields)) {
    row.push(quoted?.replaceAll('""', '"') ?? plain ?? '');
    if (end === ',') continue;
    if (row.length > 1 || row[0] !== '') rows.push(row);
    row = [];
    if (end === '') break;
  }
  return rows;
}

export interface Line {
  'Delivery Doc': string;
  'Shipment no.': string;
  'Customer Name': string;
  'Item Number': string;
  Quantity: string;
  Unit: string;
  Description: string;
  'Dispatch Date and Time': string;
}

export function readLines(name: string): Line[] {
  const [header = [], ...rows] = parseCsv(readFileSync(fixture(name), 'utf8'));
  return rows.map((row) => Object.fromEntries(header.map((key, at) => [key, row[at] ?? ''])) as unknown as Line);
}

/** Returns the deliveries of each customer, starting with the customer who has the most. */
export function byCustomer(lines: Line[]): [customer: string, deliveries: string[]][] {
  const found = new Map<string, Set<string>>();
  for (const line of lines) {
    const customer = line['Customer Name'];
    found.set(customer, (found.get(customer) ?? new Set()).add(line['Delivery Doc']));
  }
  const lists = [...found].map(([name, ids]): [string, string[]] => [name, [...ids].toSorted()]);
  return lists.toSorted(([, a], [, b]) => b.length - a.length);
}
