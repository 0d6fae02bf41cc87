import type { Filter } from './filters-codec';
import { dateValuesToInstants } from './date-values';
import type { FilterField, WhereFilter } from './resource';

/** Labels stay in the browser; days become instants of the organisation's zone. */
export function toWhere(
  filters: readonly Filter[],
  timeZone: string,
  fields: readonly FilterField[] = [],
  now: Date = new Date(),
): WhereFilter[] {
  return filters.map(({ key, operator, values }) => {
    const plain = values.map(({ value }) => value);
    return {
      key: fields.find((field) => field.key === key)?.path ?? key,
      operator,
      values:
        operator === 'inDateRange' ? dateValuesToInstants(plain, timeZone, now) : plain,
    };
  });
}
