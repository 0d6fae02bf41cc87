import { filters as fields } from '@/delivery-list/filters';
import { encodeFilters, type Filter } from '@/list/filters-codec';
import type { ListShown } from '@/list/resource';
import { toWhere } from '@/list/to-where';

export type ExportFormat = 'csv' | 'xlsx';

export const EXPORT_TYPES: Record<ExportFormat, string> = {
  csv: 'text/csv;charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/**
 * Where the server makes the file. The filters go as in the address of the list, but as the server
 * knows them: days are instants, and a field has the server's name.
 */
export function exportAddress(
  format: ExportFormat,
  { filters, sort }: Pick<ListShown, 'filters' | 'sort'>,
  timeZone: string,
): string {
  const where = toWhere(filters, timeZone, fields).map(
    ({ key, operator, values }): Filter => ({
      key,
      operator,
      values: values.map((value) => ({ label: '', value })),
    }),
  );
  const query = new URLSearchParams({
    format,
    ...(where.length > 0 && { filters: encodeFilters(where) }),
    sort: sort.map(({ key, direction }) => (direction === 'desc' ? `-${key}` : key)).join(','),
  });
  return `/export/deliveries?${query}`;
}
