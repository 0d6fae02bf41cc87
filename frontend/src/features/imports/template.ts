import { toCsv } from '@/lib/csv';

/** The header names an import knows. They are the file's own words and stay untranslated. */
export const TEMPLATE_HEADERS = [
  'Delivery Doc',
  'Reference Doc',
  'Shipment no.',
  'Customer Name',
  'Customer Address',
  'Trucker',
  'Driver ID',
  'Dispatch Date and Time',
  'Item Number',
  'SKU',
  'Description',
  'Quantity',
  'Unit',
  'Instructions',
] as const;

export const TEMPLATE_FILENAME = 'deliveries-template.csv';

export function templateCsv(): string {
  return toCsv([TEMPLATE_HEADERS]);
}
