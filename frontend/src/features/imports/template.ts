import { toCsv } from '@/lib/csv';

/** Header names that imports recognize; part of the file format, so not translated. */
const TEMPLATE_HEADERS = [
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
