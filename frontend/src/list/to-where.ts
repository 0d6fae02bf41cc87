import type { Filter } from './filters-codec';
import { dateValuesToInstants } from './date-values';
import type { FilterField, WhereFilter } from './resource';

/**
 * Converts filters to the server's input: drops labels, and turns days into instants in the organization's time zone.
 * The server joins filters on the same field by OR, so several ranges of one field are intersected here.
 */
export function toWhere(
  filters: readonly Filter[],
  timeZone: string,
  fields: readonly FilterField[] = [],
  now: Date = new Date(),
): WhereFilter[] {
  const where: WhereFilter[] = [];
  for (const { key, operator, values } of filters) {
    const path = fields.find((field) => field.key === key)?.path ?? key;
    const plain = values.map(({ value }) => value);
    if (operator !== 'inDateRange') {
      where.push({ key: path, operator, values: plain });
      continue;
    }
    const range = dateValuesToInstants(plain, timeZone, now);
    const other = where.find((entry) => entry.key === path && entry.operator === operator);
    if (other) other.values = inCommon(other.values, range);
    else where.push({ key: path, operator, values: range });
  }
  return where;
}

function inCommon([from = '', to = '']: readonly string[], [start, end]: [string, string]): [string, string] {
  const later = (a: string, b: string) => (Date.parse(a) >= Date.parse(b) ? a : b);
  const earlier = (a: string, b: string) => (Date.parse(a) <= Date.parse(b) ? a : b);
  const first = later(from, start);
  // The ranges do not overlap, so return an empty range, which matches nothing.
  return [first, later(first, earlier(to, end))];
}
